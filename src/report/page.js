"use strict";
/* Graphs that can be zoomed: each is drawn anew from the data beside it, in the
   same way as the page was written (src/report/draw.c). The data say which numbers
   the axes have; the script finds others only after zooming. Without this script
   the page shows the pictures as they are. */
(function () {
  var figures = document.querySelectorAll("figure");
  if (!figures.length) return;
  var SVG = figures[0].querySelector("svg").namespaceURI;
  var MARKS = ["m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", "m-2.7 -2.7h5.4v5.4h-5.4z",
    "m0 -3.4l3.4 6h-6.8z", "m0 3.4l3.4 -6h-6.8z",
    "m0 -3.8l3.8 3.8l-3.8 3.8l-3.8 -3.8z"];

  function element(parent, name, attributes) {
    var e = document.createElementNS(SVG, name);
    for (var key in attributes) e.setAttribute(key, attributes[key]);
    parent.appendChild(e);
    return e;
  }

  /* A text; a number has its power of ten raised. */
  function label(parent, x, y, anchor, text, number) {
    var e = element(parent, "text", { x: x, y: y, "text-anchor": anchor });
    var part = number ? /^([^e]*)e(-?\d+)$/.exec(text) : null;
    e.textContent = !part ? text : part[1] === "1" ? "10" : part[1] + "\u00d710";
    if (part)
      element(e, "tspan", { dy: -5, "class": "power" }).textContent = part[2];
  }

  /* As much of a text as fits along an axis. */
  function cut(text, room) {
    var most = Math.max(Math.floor(room / 8), 4);
    return text.length <= most ? text : text.slice(0, most - 1) + "\u2026";
  }

  /* ---- Axes ---- */

  function share(axis, v) {
    if (!axis.log) return (v - axis.low) / (axis.high - axis.low);
    return v > 0 ? Math.log(v / axis.low) / Math.log(axis.high / axis.low) : -1;
  }

  function value(axis, s) {
    if (!axis.log) return axis.low + s * (axis.high - axis.low);
    return axis.low * Math.pow(axis.high / axis.low, s);
  }

  function number(v, digits) {
    return String(Number(v.toPrecision(digits))).replace("e+", "e");
  }

  /* With as many digits as the step has, as axis.c writes them. */
  function tickText(at, step, axis) {
    var most = Math.max(Math.abs(axis.low), Math.abs(axis.high));
    var front = Math.floor(Math.log10(most) + 1e-9);
    var last = Math.floor(Math.log10(step) + 1e-9), decimals = Math.max(-last, 0);
    var plain = (last >= -4 && front < 6) ||
      (front - last >= 4 && front >= 0 && front + decimals < 12);
    if (plain) return at.toFixed(decimals);
    var digits = Math.min(Math.max(front - last + 1, 1), 15);
    return at === 0 ? "0" : withPower(Number(at.toPrecision(digits)));
  }

  /* As many digits as it takes to tell two pixels apart. */
  function digitsOf(axis) {
    var most = Math.max(Math.abs(axis.low), Math.abs(axis.high));
    var front = Math.ceil(Math.log10(most / (axis.high - axis.low)));
    return Math.min(Math.max(front + 4, 6), 15);
  }

  function withPower(v) {
    return v.toExponential().replace("e+", "e");
  }

  function linearTicks(axis, wanted) {
    var rough = (axis.high - axis.low) / Math.max(wanted, 1);
    var power = Math.pow(10, Math.floor(Math.log10(rough)));
    var part = rough / power, ticks = [];
    var step = power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
    var k = Math.ceil(axis.low / step - 1e-9);
    for (; k * step <= axis.high + 1e-9 * step && ticks.length < 40; k++) {
      var at = k === 0 ? 0 : k * step;
      ticks.push([at, tickText(at, step, axis)]);
    }
    return ticks;
  }

  function isMoved(axis, whole) {
    return axis.low !== whole.low || axis.high !== whole.high;
  }

  /* Those of the given numbers that fit: every one, every second, and so on.
     `room` is what the widest needs, as a share of the axis. */
  function someOf(axis, ticks, room) {
    var named = ticks.filter(function (t) { return t[1]; }), every = 1;
    function crowded() {
      return named.some(function (t, k) {
        var next = named[k + every];
        return k % every === 0 && next &&
          share(axis, next[0]) - share(axis, t[0]) < room;
      });
    }
    while (every < named.length && crowded()) every++;
    return ticks.filter(function (t) {
      return !t[1] ? every === 1 : named.indexOf(t) % every === 0;
    });
  }

  function ticksOf(axis, whole, wanted, room) {
    var ticks = [];
    if (whole.fixed) return whole.ticks;
    if (!isMoved(axis, whole)) return someOf(axis, whole.ticks, room);
    if (axis.log) {
      var low = Math.floor(Math.log10(axis.low) + 1e-9);
      var high = Math.ceil(Math.log10(axis.high) - 1e-9);
      var every = Math.floor((high - low) / Math.max(wanted, 1)) + 1;
      for (var k = low; k <= high; k += every)
        (high - low <= 2 ? [1, 2, 5] : [1]).forEach(function (part) {
          var at = part * Math.pow(10, k);
          if (at >= axis.low * (1 - 1e-9) && at <= axis.high * (1 + 1e-9))
            ticks.push([at, at >= 1e5 || at < 1e-4
              ? withPower(Number(at.toPrecision(5))) : number(at, 5)]);
        });
    }
    return ticks.length >= 2 ? ticks : linearTicks(axis, wanted);
  }

  /* ---- One graph ---- */

  function Graph(figure, index) {
    this.data = JSON.parse(
      figure.querySelector("script[type='application/json']").textContent);
    this.box = figure.querySelector(".plot");
    this.svg = this.box.querySelector("svg");
    this.id = "z" + index;
    this.points = this.data.series.map(function (s) {
      return s.columns ? readTable(s, this.data.scale)
        : s.style === "faces" ? readFaces(s, this.data.scale) : read(s);
    }, this);
    this.reset();
    this.addTools(figure);
    if (this.data.film) this.addFilm(figure);
    this.listen();
    this.draw();
  }

  /* Points as {x, y}, with the end of a bar or tile (to), the other end of an
     interval (y2), the value and colour of a tile (z, fill); null is a gap. */
  var COLUMNS = { cells: 3, band: 3, whiskers: 3, tiles: 6 };

  function read(series) {
    var size = COLUMNS[series.style] || 2, points = [], d = series.data;
    var wide = series.style === "cells" || series.style === "tiles";
    for (var k = 0; k + size <= d.length; k += size)
      points.push(d[k] === null ? null : {
        x: d[k], y: d[k + 1], to: wide ? d[k + 2] : 0,
        y2: wide ? d[k + 3] : d[k + 2], z: d[k + 4], fill: d[k + 5]
      });
    return points;
  }

  /* Two characters each: a share of an axis in 12 bits; null: no value. */
  var DIGITS =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

  function decode(text, from, n) {
    var shares = [];
    for (var k = from; k < from + n; k++) {
      var code = DIGITS.indexOf(text[2 * k]) * 64 + DIGITS.indexOf(text[2 * k + 1]);
      shares.push(code === 4095 ? null : code / 4094);
    }
    return shares;
  }

  function shadeAt(scale, share) {
    var n = scale.shades.length;
    return scale.shades[Math.min(Math.floor(share * n), n - 1)];
  }

  function colourTile(tile, share, scale) {
    tile.z = share === null ? null : Number(value(scale.z, share).toPrecision(4));
    tile.fill = share === null ? null : shadeAt(scale, share);
  }

  /* Tiles that are a table, row after row from below. */
  function readTable(series, scale) {
    var columns = series.xs.length - 1, rows = series.ys.length - 1;
    return decode(series.data, 0, columns * rows).map(function (share, k) {
      var i = k % columns, j = Math.floor(k / columns), tile = {
        x: series.xs[i], to: series.xs[i + 1], y: series.ys[j], y2: series.ys[j + 1]
      };
      colourTile(tile, share, scale);
      return tile;
    });
  }

  /* Four corners, and a place on the bar of colours. */
  function readFaces(series, scale) {
    var faces = [], d = series.data;
    for (var k = 0; k + 9 <= d.length; k += 9)
      faces.push({ corners: d.slice(k, k + 8), fill: scale.shades[d[k + 8]] });
    return faces;
  }

  function isJoined(series) {
    return series.style === "lines" || series.style === "steps";
  }

  function isCurve(series) {
    return isJoined(series) || series.style === "points" || series.style === "cells";
  }

  function copyOf(axis) {
    return { low: axis.low, high: axis.high, log: axis.log };
  }

  Graph.prototype.reset = function () {
    this.x = copyOf(this.data.x);
    this.y = this.data.panels.map(function (p) { return copyOf(p.y); });
  };

  Graph.prototype.across = function (v) {
    var d = this.data;
    return d.left + share(this.x, v) * (this.wide - d.left - d.right);
  };

  Graph.prototype.top = function (panel) {
    return this.data.panels[panel].top * this.tall;
  };

  Graph.prototype.bottom = function (panel) {
    return this.data.panels[panel].bottom * this.tall;
  };

  Graph.prototype.down = function (panel, v) {
    var top = this.top(panel), bottom = this.bottom(panel);
    return bottom - share(this.y[panel], v) * (bottom - top);
  };

  /* As wide as the page; on a narrow one it is lower, too. What is below the
     panels keeps its height. */
  Graph.prototype.draw = function () {
    var d = this.data, svg = this.svg, last = d.panels.length - 1;
    this.wide = Math.max(this.box.clientWidth, 240);
    this.tall = Math.min(1, Math.max(0.65, this.wide / 640));
    this.high = this.bottom(last) + d.high - d.panels[last].bottom;
    svg.textContent = "";
    svg.setAttribute("viewBox", "0 0 " + this.wide + " " + this.high);
    svg.setAttribute("class", this.zoomed() ? "drawn zoomed" : "drawn");
    var room = d.x.ticks.reduce(function (most, t) {
      return Math.max(most, t[1].length);
    }, 0);
    this.ticks = ticksOf(this.x, d.x, Math.floor(this.wide / 90),
      (7.5 * room + 10) / (this.wide - d.left - d.right));
    d.panels.forEach(function (p, k) { this.drawPanel(k); }, this);
    if (!d.texts) this.drawAbscissa(element(svg, "g", { "class": "axis" }));
    if (d.scale) this.drawScale(svg);
    this.marks = element(svg, "g", {});
  };

  Graph.prototype.drawPanel = function (panel) {
    var d = this.data, id = this.id + "-" + panel;
    var axis = element(this.svg, "g", { "class": "axis" });
    if (d.texts) this.drawTexts(axis);
    else this.drawOrdinate(axis, panel);
    var clip = element(this.svg, "clipPath", { id: id });
    element(clip, "rect", {
      x: d.left, y: this.top(panel) - 2, width: this.wide - d.left - d.right + 2,
      height: this.bottom(panel) - this.top(panel) + 3
    });
    var curves = element(this.svg, "g", { "clip-path": "url(#" + id + ")" });
    d.series.forEach(function (s, k) {
      if (s.panel === panel) this.drawSeries(curves, s, this.points[k]);
    }, this);
    if (d.texts) return;
    element(element(this.svg, "g", { "class": "axis" }), "path", {
      d: "M" + d.left + " " + this.top(panel) + "V" + this.bottom(panel) +
        "H" + (this.wide - d.right)
    });
  };

  Graph.prototype.drawSeries = function (curves, s, points) {
    var joined = isJoined(s);
    if (s.style === "tiles") {
      this.drawTiles(curves, s, points);
      return;
    }
    if (s.style === "faces") {
      this.drawFaces(curves, s, points);
      return;
    }
    var own = {
      "class": s.style + " c" + s.colour +
        (s.faint ? " faint" : s.shade ? " shade" : ""),
      d: this.path(s, points)
    };
    if (joined && s.dash) own["stroke-dasharray"] = s.dash;
    if (s.shade) own.style = "--shade:" + s.shade;
    element(curves, "path", own);
    if (!joined || !s.dots) return;
    var dots = {
      "class": "points c" + s.colour + (s.shade ? " shade" : ""),
      d: this.path({ style: "points", panel: s.panel, mark: 0 }, points)
    };
    if (s.shade) dots.style = "--shade:" + s.shade;
    element(curves, "path", dots);
  };

  Graph.prototype.drawTiles = function (parent, s, points) {
    points.forEach(function (p) {
      if (!p || p.z === null) return;
      var left = this.across(p.x), top = this.down(s.panel, p.y2);
      element(parent, "rect", {
        x: left.toFixed(1), y: top.toFixed(1), fill: p.fill,
        width: (Math.max(this.across(p.to) - left, 0) + 0.3).toFixed(1),
        height: (Math.max(this.down(s.panel, p.y) - top, 0) + 0.3).toFixed(1)
      });
    }, this);
  };

  /* In their order: what comes later hides what is behind it. */
  Graph.prototype.drawFaces = function (parent, s, faces) {
    faces.forEach(function (f) {
      var c = f.corners, d = "";
      for (var k = 0; k < 8; k += 2)
        d += (k ? "L" : "M") + this.across(c[k]).toFixed(1) + " " +
          this.down(s.panel, c[k + 1]).toFixed(1);
      element(parent, "path", { "class": "faces", fill: f.fill, d: d + "z" });
    }, this);
  };

  /* A picture without axes has texts at points. */
  Graph.prototype.drawTexts = function (g) {
    this.data.texts.forEach(function (t) {
      label(g, this.across(t[0]), this.down(0, t[1]) + 4,
        t[2] > 0 ? "start" : t[2] < 0 ? "end" : "middle", t[4], t[3]);
    }, this);
  };

  /* The bar of colours, on the right of all panels. */
  Graph.prototype.drawScale = function (svg) {
    var d = this.data.scale, n = d.shades.length, left = this.wide - d.left;
    var top = this.top(0), bottom = this.bottom(this.data.panels.length - 1);
    var high = bottom - top;
    d.shades.forEach(function (fill, k) {
      var piece = element(svg, "rect", {
        x: left, y: bottom - (k + 1) * high / n, width: 16,
        height: high / n + 0.3
      });
      piece.setAttribute(d.tiles ? "fill" : "style",
        d.tiles ? fill : "--shade:" + fill);
      if (!d.tiles) piece.setAttribute("class", "shade");
    });
    var g = element(svg, "g", { "class": "axis" });
    d.z.ticks.forEach(function (t) {
      if (!t[1]) return;
      var y = bottom - share(d.z, t[0]) * high;
      element(g, "path", { d: "M" + (left + 16) + " " + y + "h4" });
      label(g, left + 23, y + 4, "start", t[1], true);
    });
    element(g, "text", {
      "text-anchor": "middle",
      transform: "translate(" + (this.wide - 10) + " " + (top + bottom) / 2 +
        ") rotate(-90)"
    }).textContent = cut(d.z.label, high + 12);
  };

  Graph.prototype.drawAbscissa = function (g) {
    var d = this.data, self = this, bottom = this.bottom(d.panels.length - 1);
    this.ticks.forEach(function (t) {
      var x = self.across(t[0]);
      element(g, "path", { d: "M" + x + " " + bottom + "v" + (t[1] ? 5 : 3) });
      if (t[1]) label(g, x, bottom + 18, "middle", t[1], true);
    });
    label(g, (d.left + this.wide - d.right) / 2, this.high - 14, "middle",
      cut(d.x.label, this.wide - d.left - d.right));
  };

  Graph.prototype.drawOrdinate = function (g, panel) {
    var d = this.data, self = this, p = d.panels[panel], right = this.wide - d.right;
    var top = this.top(panel), bottom = this.bottom(panel), high = bottom - top;
    this.ticks.forEach(function (t) {
      if (t[1])
        element(g, "path", {
          "class": "grid", d: "M" + self.across(t[0]) + " " + top + "V" + bottom
        });
    });
    ticksOf(this.y[panel], p.y, Math.max(Math.floor(high / 55), 2), 18 / high)
      .forEach(function (t) {
        var y = self.down(panel, t[0]);
        if (!t[1]) {
          element(g, "path", { d: "M" + d.left + " " + y + "h-3" });
          return;
        }
        element(g, "path",
          { "class": "grid", d: "M" + d.left + " " + y + "H" + right });
        label(g, d.left - 7, y + 4, "end", t[1], true);
      });
    var zero = share(this.y[panel], 0);
    if (!p.y.log && zero > 0.04 && zero < 0.96)
      element(g, "path", {
        "class": "zero", d: "M" + d.left + " " + this.down(panel, 0) + "H" + right
      });
    if (p.low) {
      label(g, d.left, top - 7, "start", cut(p.y.label, right - d.left));
      return;
    }
    element(g, "text", {
      "text-anchor": "middle",
      transform: "translate(14 " + (top + bottom) / 2 + ") rotate(-90)"
    }).textContent = cut(p.y.label, high + 12);
  };

  Graph.prototype.path = function (series, points) {
    var d = "", pen = false, panel = series.panel, y0 = this.y[panel];
    if (series.style === "band") return this.bandPath(panel, points);
    var zero = this.down(panel, y0.log ? y0.low : 0).toFixed(1);
    points.forEach(function (p) {
      if (!p) { pen = false; return; }
      var x = this.across(p.x).toFixed(1), y = this.down(panel, p.y).toFixed(1);
      if (series.style === "cells")
        d += "M" + x + " " + zero + "V" + y + "H" +
          this.across(p.to).toFixed(1) + "V" + zero + "z";
      else if (series.style === "whiskers")
        d += "M" + x + " " + y + "m-4 0h8m-4 0V" +
          this.down(panel, p.y2).toFixed(1) + "m-4 0h8";
      else if (series.style === "rules")
        d += "M" + x + " " + this.bottom(panel) + "V" + this.top(panel);
      else if (series.style === "points")
        d += "M" + x + " " + y + MARKS[series.mark];
      else if (!pen)
        d += "M" + x + " " + y;
      else
        d += series.style === "steps" ? "H" + x + "V" + y : "L" + x + " " + y;
      pen = true;
    }, this);
    return d;
  };

  /* Forth along the lower ends and back along the upper ones, without gaps. */
  Graph.prototype.bandPath = function (panel, points) {
    var d = "", from = 0, self = this;
    function place(p, y) {
      return self.across(p.x).toFixed(1) + " " + self.down(panel, y).toFixed(1);
    }
    while (from < points.length) {
      var to = from, back = "";
      for (; to < points.length && points[to]; to++) {
        d += (to === from ? "M" : "L") + place(points[to], points[to].y);
        back = "L" + place(points[to], points[to].y2) + back;
      }
      d += to > from ? back + "z" : "";
      from = to + 1;
    }
    return d;
  };

  /* ---- What moves while time goes on ---- */

  Graph.prototype.frame = function (k) {
    var d = this.data, film = d.film, points = this.points[0], s = d.series[0];
    var shares = decode(film.data, k * points.length, points.length);
    if (s.style === "tiles")
      points.forEach(function (p, i) { colourTile(p, shares[i], d.scale); });
    else
      this.points[0] = this.places.map(function (x, i) {
        return x === null || shares[i] === null ? null
          : { x: x, y: value(d.panels[0].y, shares[i]) };
      });
    this.now.textContent = film.label + " = " + number(film.at[k], 5);
    this.slider.setAttribute("aria-valuetext", this.now.textContent);
    this.draw();
  };

  Graph.prototype.play = function () {
    var self = this, last = this.data.film.at.length - 1;
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = 0;
    } else {
      if (Number(this.slider.value) === last) this.slider.value = 0;
      this.timer = setInterval(function () {
        self.slider.value = Number(self.slider.value) + 1;
        self.frame(Number(self.slider.value));
        if (Number(self.slider.value) === last) self.play();
      }, 6000 / last);
    }
    this.button.textContent = this.timer ? "\u23f8\ufe0e" : "\u25b6\ufe0e";
    this.button.setAttribute("aria-label", this.timer ? "Pause" : "Play");
  };

  Graph.prototype.addFilm = function (figure) {
    var row = document.createElement("div"), self = this, film = this.data.film;
    function add(name, kind) {
      var e = document.createElement(name);
      if (kind) e.type = kind;
      row.appendChild(e);
      return e;
    }
    row.className = "film";
    this.button = add("button", "button");
    this.button.addEventListener("click", function () { self.play(); });
    this.slider = add("input", "range");
    this.slider.min = 0;
    this.slider.max = film.at.length - 1;
    this.slider.value = film.at.length - 1;
    this.slider.setAttribute("aria-label", film.label);
    this.slider.addEventListener("input", function () {
      if (self.timer) self.play();
      self.frame(Number(self.slider.value));
    });
    this.now = add("output");
    this.now.textContent = film.label + " = " + number(film.at[film.at.length - 1], 5);
    this.button.textContent = "\u25b6\ufe0e";
    this.button.setAttribute("aria-label", "Play");
    this.places = this.points[0].map(function (p) { return p && p.x; });
    figure.insertBefore(row, this.box.nextSibling);
  };

  /* ---- Moving ---- */

  /* Zooms about the position `at` (0 to 1), which stays where it is. */
  function stretch(axis, whole, factor, at) {
    var low = value(axis, at * (1 - factor));
    var high = value(axis, at + (1 - at) * factor);
    var least = 1e-9 * (Math.abs(whole.high) + Math.abs(whole.low));
    if (high - low > least) { axis.low = low; axis.high = high; }
  }

  function slide(axis, by) {
    var low = value(axis, by), high = value(axis, 1 + by);
    axis.low = low;
    axis.high = high;
  }

  /* `panel`: the one whose ordinate is zoomed; -1: all of them. */
  Graph.prototype.each = function (panel, action) {
    this.data.panels.forEach(function (p, k) {
      if (!p.y.fixed && (panel < 0 || panel === k)) action(this.y[k], p.y);
    }, this);
  };

  Graph.prototype.zoom = function (factor, atX, atY, panel) {
    stretch(this.x, this.data.x, factor, atX);
    this.each(panel, function (axis, whole) {
      stretch(axis, whole, factor, atY);
    });
    this.draw();
  };

  Graph.prototype.shift = function (byX, byY, panel) {
    slide(this.x, byX);
    this.each(panel, function (axis) { slide(axis, byY); });
  };

  Graph.prototype.move = function (byX, byY, panel) {
    this.shift(byX, byY, panel);
    this.draw();
  };

  /* The position of the pointer, as shares of both axes, and its panel. */
  Graph.prototype.place = function (event) {
    var d = this.data, r = this.svg.getBoundingClientRect();
    var by = this.wide / r.width, y = (event.clientY - r.top) * by, panel = 0;
    d.panels.forEach(function (p, k) {
      if (k > 0 && y > this.bottom(k - 1)) panel = k;
    }, this);
    return {
      x: ((event.clientX - r.left) * by - d.left) /
        (this.wide - d.left - d.right),
      y: (this.bottom(panel) - y) / (this.bottom(panel) - this.top(panel)),
      panel: panel
    };
  };

  Graph.prototype.listen = function () {
    var self = this, svg = this.svg, fingers = {}, last = null;
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("wheel", function (e) {
      if (!e.ctrlKey && document.activeElement !== svg) return;
      var p = self.place(e);
      e.preventDefault();
      self.zoom(e.deltaY > 0 ? 1.25 : 0.8, p.x, p.y, p.panel);
    }, { passive: false });
    svg.addEventListener("pointerdown", function (e) {
      fingers[e.pointerId] = self.place(e);
      last = null;
      svg.setPointerCapture(e.pointerId);
    });
    function lift(e) { delete fingers[e.pointerId]; last = null; }
    svg.addEventListener("pointerup", lift);
    svg.addEventListener("pointercancel", lift);
    svg.addEventListener("pointermove", function (e) {
      var p = self.place(e), from = fingers[e.pointerId];
      if (from && e.buttons) {
        fingers[e.pointerId] = p;
        var down = Object.keys(fingers);
        if (down.length === 2)
          last = self.pinch(fingers[down[0]], fingers[down[1]], last);
        else if (e.pointerType !== "touch" || self.zoomed())
          self.move(from.x - p.x, from.panel === p.panel ? from.y - p.y : 0,
            from.panel);
        if (down.length === 1) fingers[e.pointerId] = self.place(e);
      }
      self.show(p);
    });
    svg.addEventListener("pointerleave", function () { self.show(null); });
    svg.addEventListener("dblclick", function () { self.whole(); });
    svg.addEventListener("keydown", function (e) { self.key(e); });
  };

  /* Two fingers: whatever is between them stays there. */
  Graph.prototype.pinch = function (a, b, last) {
    var now = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    now.far = Math.max(Math.hypot(a.x - b.x, a.y - b.y), 0.02);
    if (last) {
      this.shift(last.x - now.x, last.y - now.y, a.panel);
      this.zoom(last.far / now.far, now.x, now.y, a.panel);
    }
    return now;
  };

  Graph.prototype.zoomed = function () {
    return isMoved(this.x, this.data.x) || this.y.some(function (y, k) {
      return isMoved(y, this.data.panels[k].y);
    }, this);
  };

  Graph.prototype.whole = function () {
    this.reset();
    this.draw();
  };

  Graph.prototype.key = function (e) {
    var by = {
      ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0],
      ArrowDown: [0, -0.1], ArrowUp: [0, 0.1]
    }[e.key];
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (by) this.move(by[0], by[1], -1);
    else if (e.key === "+" || e.key === "=") this.zoom(0.8, 0.5, 0.5, -1);
    else if (e.key === "-") this.zoom(1.25, 0.5, 0.5, -1);
    else if (e.key === "0" || e.key === "Escape") this.whole();
    else return;
    e.preventDefault();
  };

  /* ---- Values at the pointer ---- */

  /* Index of the point that counts at x: the one before it for steps and bars,
     otherwise the nearest on the screen. */
  Graph.prototype.find = function (series, points, x, place) {
    var best = -1, least = Infinity;
    points.forEach(function (p, k) {
      if (!p) return;
      if (series.style === "cells") {
        if (p.x <= x && x < p.to) best = k;
      } else if (series.style === "steps") {
        if (p.x <= x) best = k;
      } else {
        var dx = share(this.x, p.x) - place.x;
        var dy = share(this.y[series.panel], p.y) - place.y;
        var far = dx * dx + (series.free ? dy * dy : 0);
        if (far < least) { least = far; best = k; }
      }
    }, this);
    return best;
  };

  /* The tile at the pointer. */
  Graph.prototype.tell = function (s, points, x, y, panel, words) {
    if (s.panel !== panel) return;
    var d = this.data, tile = points.filter(function (p) {
      return p && p.x <= x && x < p.to && p.y <= y && y < p.y2;
    })[0];
    if (!tile) return;
    words.push(d.panels[panel].y.label + " = " + number(y, 5));
    words.push(tile.z === null ? "did not finish"
      : d.scale.z.label + " = " + number(tile.z, 6));
  };

  /* Finds the curve next to the pointer, where there are very many. */
  Graph.prototype.nearest = function (x, place) {
    var best = -1, least = Infinity;
    this.data.series.forEach(function (s, k) {
      if (!isCurve(s) || s.faint || s.panel !== place.panel) return;
      var p = this.points[k][this.find(s, this.points[k], x, place)];
      var far = p ? Math.abs(share(this.y[s.panel], p.y) - place.y) : Infinity;
      if (far < least) { least = far; best = k; }
    }, this);
    return best;
  };

  Graph.prototype.show = function (place) {
    this.marks.textContent = "";
    this.readout.textContent = "";
    if (!place || place.x < 0 || place.x > 1) return;
    var x = value(this.x, place.x), words = [];
    var labels = this.data.panels;
    var y = value(this.y[place.panel], place.y), many = this.data.series.length > 12;
    var least = this.data.scale && many ? this.nearest(x, place) : -1;
    this.data.series.forEach(function (s, k) {
      if (s.style === "tiles") {
        this.tell(s, this.points[k], x, y, place.panel, words);
        return;
      }
      if (!isCurve(s) || (least >= 0 && k !== least)) return;
      var p = this.points[k][this.find(s, this.points[k], x, place)];
      if (!p || s.faint || share(this.x, p.x) > 1) return;
      var at = s.style === "lines" || s.style === "points" ? p.x : x;
      words.push((s.name || labels[s.panel].y.label) + " = " + number(p.y, digitsOf(this.y[s.panel])) +
        (s.free || s.style === "points"
          ? " at " + number(p.x, 6) : ""));
      if (s.style !== "cells")
        element(this.marks, "circle", {
          "class": "at c" + s.colour, r: 4, cx: this.across(at),
          cy: this.down(s.panel, p.y)
        });
    }, this);
    element(this.marks, "path", {
      "class": "cursor",
      d: "M" + this.across(x) + " " + this.top(0) + "V" +
        this.bottom(labels.length - 1)
    });
    this.readout.textContent =
      [this.data.x.label + " = " + number(x, 5)].concat(words).join("   ");
  };

  Graph.prototype.addTools = function (figure) {
    var tools = document.createElement("div"), self = this;
    function button(text, title, action) {
      var b = document.createElement("button");
      b.type = "button";
      b.textContent = text;
      b.title = title;
      b.setAttribute("aria-label", title);
      b.addEventListener("click", action);
      tools.appendChild(b);
    }
    tools.className = "tools";
    button("+", "Zoom in", function () { self.zoom(0.7, 0.5, 0.5, -1); });
    button("\u2212", "Zoom out", function () { self.zoom(1 / 0.7, 0.5, 0.5, -1); });
    button("\u21ba", "Show all", function () { self.whole(); });
    this.readout = document.createElement("div");
    this.readout.className = "readout";
    figure.insertBefore(this.readout, this.box.nextSibling);
    figure.insertBefore(tools, this.box);
    figure.className = "drawn-figure";
    /* If x does not only grow, values are looked up by the nearest point. */
    this.data.series.forEach(function (s, k) {
      s.free = this.points[k].some(function (p, i, all) {
        return i > 0 && p && all[i - 1] && p.x < all[i - 1].x;
      });
    }, this);
  };

  /* ---- All graphs ---- */

  var graphs = [].map.call(figures, function (figure, index) {
    return new Graph(figure, index);
  });
  var hint = document.createElement("p");
  hint.className = "hint";
  hint.textContent = "Drag to move; use + and \u2212, two fingers, or Ctrl and the " +
    "wheel to zoom; a double click shows all. Keys: arrows, +, \u2212, 0.";
  figures[0].parentNode.insertBefore(hint, figures[0]);
  var waiting = 0;
  window.addEventListener("resize", function () {
    clearTimeout(waiting);
    waiting = setTimeout(function () {
      graphs.forEach(function (g) { g.draw(); });
    }, 100);
  });
})();
/* On paper everything is unfolded. */
window.addEventListener("beforeprint", function () {
  [].forEach.call(document.querySelectorAll("details"), function (d) {
    d.open = true;
  });
});
