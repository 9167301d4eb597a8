"use strict";
/* Graphs that can be zoomed: each is drawn anew, from the data beside it, as the
   page was written (src/report/draw.c, scale.c). Without this script the page
   shows the pictures as they are. */
(function () {
  var figures = document.querySelectorAll("figure");
  if (!figures.length) return;
  var SVG = figures[0].querySelector("svg").namespaceURI;
  var LEFT = 70, RIGHT = 24, TOP = 12, BOTTOM = 46;

  function element(parent, name, attributes) {
    var e = document.createElementNS(SVG, name);
    for (var key in attributes) e.setAttribute(key, attributes[key]);
    parent.appendChild(e);
    return e;
  }

  function label(parent, x, y, anchor, text) {
    element(parent, "text", { x: x, y: y, "text-anchor": anchor })
      .textContent = text;
  }

  /* What of a text has room along an axis. */
  function cut(text, room) {
    var most = Math.floor(room / 9.3);
    return text.length <= most ? text : text.slice(0, most - 1) + "\u2026";
  }

  /* ---- Scales: the same numbers stand at the axes as in scale.c ---- */

  function share(axis, v) {
    if (!axis.log) return (v - axis.low) / (axis.high - axis.low);
    return v > 0 ? Math.log(v / axis.low) / Math.log(axis.high / axis.low) : -1;
  }

  function value(axis, s) {
    if (!axis.log) return axis.low + s * (axis.high - axis.low);
    return axis.low * Math.pow(axis.high / axis.low, s);
  }

  function number(v, digits) {
    return String(Number(v.toPrecision(digits)));
  }

  function linearTicks(axis, wanted) {
    var rough = (axis.high - axis.low) / Math.max(wanted, 1);
    var power = Math.pow(10, Math.floor(Math.log10(rough)));
    var part = rough / power, ticks = [];
    var step = power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
    var k = Math.ceil(axis.low / step - 1e-9);
    for (; k * step <= axis.high + 1e-9 * step && ticks.length < 40; k++) {
      var at = k * step;
      var digits = Math.ceil(Math.log10(Math.max(Math.abs(k), 1)) + 1.001);
      ticks.push([at, number(at, Math.min(Math.max(digits, 6), 15))]);
    }
    return ticks;
  }

  function ticksOf(axis, wanted) {
    var ticks = [];
    if (axis.log) {
      var low = Math.floor(Math.log10(axis.low) + 1e-9);
      var high = Math.ceil(Math.log10(axis.high) - 1e-9);
      var every = Math.floor((high - low) / Math.max(wanted, 1)) + 1;
      for (var k = low; k <= high; k += every)
        (high - low <= 2 ? [1, 2, 5] : [1]).forEach(function (part) {
          var at = part * Math.pow(10, k);
          if (at >= axis.low * (1 - 1e-9) && at <= axis.high * (1 + 1e-9))
            ticks.push([at, number(at, 6)]);
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
    this.points = this.data.series.map(read);
    this.reset();
    this.addTools(figure);
    this.listen();
    this.draw();
  }

  /* Points as {x, y} or {x, y, to}; null is a gap. */
  function read(series) {
    var size = series.style === "cells" ? 3 : 2, points = [];
    for (var k = 0; k + size <= series.data.length; k += size)
      points.push(series.data[k] === null ? null : {
        x: series.data[k], y: series.data[k + 1],
        to: size === 3 ? series.data[k + 2] : 0
      });
    return points;
  }

  Graph.prototype.reset = function () {
    var d = this.data;
    this.x = { low: d.x.low, high: d.x.high, log: d.x.log };
    this.y = { low: d.y.low, high: d.y.high, log: d.y.log };
  };

  Graph.prototype.across = function (v) {
    return LEFT + share(this.x, v) * (this.wide - LEFT - RIGHT);
  };

  Graph.prototype.down = function (v) {
    return TOP + (1 - share(this.y, v)) * (this.high - TOP - BOTTOM);
  };

  Graph.prototype.draw = function () {
    this.wide = Math.max(this.box.clientWidth, 240);
    this.high = Math.min(this.data.high, Math.max(240, 0.75 * this.wide));
    var svg = this.svg;
    svg.textContent = "";
    svg.setAttribute("viewBox", "0 0 " + this.wide + " " + this.high);
    svg.setAttribute("class", this.zoomed() ? "drawn zoomed" : "drawn");
    this.drawAxes(element(svg, "g", { "class": "axis" }));
    var clip = element(svg, "clipPath", { id: this.id });
    element(clip, "rect", {
      x: LEFT, y: TOP - 2, width: this.wide - LEFT - RIGHT + 2,
      height: this.high - TOP - BOTTOM + 3
    });
    var curves = element(svg, "g", { "clip-path": "url(#" + this.id + ")" });
    this.data.series.forEach(function (s, k) {
      element(curves, "path", {
        "class": s.style + " c" + s.colour + (s.faint ? " faint" : ""),
        d: this.path(s, this.points[k])
      });
    }, this);
    this.marks = element(svg, "g", {});
  };

  Graph.prototype.drawAxes = function (g) {
    var wide = this.wide, bottom = this.high - BOTTOM, self = this;
    ticksOf(this.y, Math.floor(this.high / 60)).forEach(function (t) {
      var y = self.down(t[0]);
      element(g, "path",
        { "class": "grid", d: "M" + LEFT + " " + y + "H" + (wide - RIGHT) });
      label(g, LEFT - 7, y + 4, "end", t[1]);
    });
    ticksOf(this.x, Math.floor(wide / 90)).forEach(function (t) {
      var x = self.across(t[0]);
      element(g, "path", { d: "M" + x + " " + bottom + "v5" });
      label(g, x, bottom + 18, "middle", t[1]);
    });
    element(g, "path", {
      d: "M" + LEFT + " " + TOP + "V" + bottom + "H" + (wide - RIGHT)
    });
    label(g, (LEFT + wide - RIGHT) / 2, this.high - 6, "middle",
      cut(this.data.x.label, wide - LEFT - RIGHT));
    var name = element(g, "text", {
      "text-anchor": "middle",
      transform: "translate(14 " + (TOP + bottom) / 2 + ") rotate(-90)"
    });
    name.textContent = cut(this.data.y.label, bottom - TOP);
  };

  Graph.prototype.path = function (series, points) {
    var d = "", pen = false;
    var zero = this.down(this.y.log ? this.y.low : 0).toFixed(1);
    points.forEach(function (p) {
      if (!p) { pen = false; return; }
      var x = this.across(p.x).toFixed(1), y = this.down(p.y).toFixed(1);
      if (series.style === "cells")
        d += "M" + x + " " + zero + "V" + y + "H" +
          this.across(p.to).toFixed(1) + "V" + zero + "z";
      else if (series.style === "points")
        d += "M" + x + " " + y + "h0";
      else if (!pen)
        d += "M" + x + " " + y;
      else
        d += series.style === "steps" ? "H" + x + "V" + y : "L" + x + " " + y;
      pen = true;
    }, this);
    return d;
  };

  /* ---- Moving ---- */

  /* Keeps the place at `at` (0 to 1) where it is. */
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

  Graph.prototype.zoom = function (factor, atX, atY) {
    stretch(this.x, this.data.x, factor, atX);
    stretch(this.y, this.data.y, factor, atY);
    this.draw();
  };

  Graph.prototype.move = function (byX, byY) {
    slide(this.x, byX);
    slide(this.y, byY);
    this.draw();
  };

  /* Where the pointer is, as shares of both axes. */
  Graph.prototype.place = function (event) {
    var r = this.svg.getBoundingClientRect(), by = this.wide / r.width;
    return {
      x: ((event.clientX - r.left) * by - LEFT) / (this.wide - LEFT - RIGHT),
      y: 1 - ((event.clientY - r.top) * by - TOP) / (this.high - TOP - BOTTOM)
    };
  };

  Graph.prototype.listen = function () {
    var self = this, svg = this.svg, fingers = {}, last = null;
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("wheel", function (e) {
      if (!e.ctrlKey && document.activeElement !== svg) return;
      var p = self.place(e);
      e.preventDefault();
      self.zoom(e.deltaY > 0 ? 1.25 : 0.8, p.x, p.y);
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
          self.move(from.x - p.x, from.y - p.y);
        if (down.length === 1) fingers[e.pointerId] = self.place(e);
      }
      self.show(p);
    });
    svg.addEventListener("pointerleave", function () { self.show(null); });
    svg.addEventListener("dblclick", function () { self.whole(); });
    svg.addEventListener("keydown", function (e) { self.key(e); });
  };

  /* Two fingers: what lay between them stays there. */
  Graph.prototype.pinch = function (a, b, last) {
    var now = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    now.far = Math.max(Math.hypot(a.x - b.x, a.y - b.y), 0.02);
    if (last) {
      slide(this.x, last.x - now.x);
      slide(this.y, last.y - now.y);
      this.zoom(last.far / now.far, now.x, now.y);
    }
    return now;
  };

  Graph.prototype.zoomed = function () {
    var d = this.data;
    return this.x.low !== d.x.low || this.x.high !== d.x.high ||
      this.y.low !== d.y.low || this.y.high !== d.y.high;
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
    if (by) this.move(by[0], by[1]);
    else if (e.key === "+" || e.key === "=") this.zoom(0.8, 0.5, 0.5);
    else if (e.key === "-") this.zoom(1.25, 0.5, 0.5);
    else if (e.key === "0" || e.key === "Escape") this.whole();
    else return;
    e.preventDefault();
  };

  /* ---- Values at the pointer ---- */

  /* Index of the point that counts at x: the one before it for steps and bars,
     else the nearest on the screen. */
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
        var dy = share(this.y, p.y) - place.y;
        var far = dx * dx + (series.free ? dy * dy : 0);
        if (far < least) { least = far; best = k; }
      }
    }, this);
    return best;
  };

  Graph.prototype.show = function (place) {
    this.marks.textContent = "";
    this.readout.textContent = "";
    if (!place || place.x < 0 || place.x > 1) return;
    var x = value(this.x, place.x), words = [];
    this.data.series.forEach(function (s, k) {
      var p = this.points[k][this.find(s, this.points[k], x, place)];
      if (!p || share(this.x, p.x) > 1) return;
      var at = s.style === "lines" || s.style === "points" ? p.x : x;
      words.push((s.name || this.data.y.label) + " = " + number(p.y, 6) +
        (s.free || s.style === "points"
          ? " at " + number(p.x, 6) : ""));
      if (s.style !== "cells")
        element(this.marks, "circle", {
          "class": "at c" + s.colour, r: 4, cx: this.across(at),
          cy: this.down(p.y)
        });
    }, this);
    element(this.marks, "path", {
      "class": "cursor",
      d: "M" + this.across(x) + " " + TOP + "V" + (this.high - BOTTOM)
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
    button("+", "Zoom in", function () { self.zoom(0.7, 0.5, 0.5); });
    button("\u2212", "Zoom out", function () { self.zoom(1 / 0.7, 0.5, 0.5); });
    button("\u21ba", "Show all", function () { self.whole(); });
    this.readout = document.createElement("div");
    this.readout.className = "readout";
    figure.insertBefore(this.readout, this.box.nextSibling);
    figure.insertBefore(tools, this.box);
    figure.className = "drawn-figure";
    /* A curve over something that does not only grow is looked up by its
       nearest point. */
    this.data.series.forEach(function (s, k) {
      s.free = this.points[k].some(function (p, i, all) {
        return i > 0 && p && all[i - 1] && p.x < all[i - 1].x;
      });
    }, this);
  };

  /* ---- All of them ---- */

  var graphs = [].map.call(figures, function (figure, index) {
    return new Graph(figure, index);
  });
  var hint = document.createElement("p");
  hint.className = "hint";
  hint.textContent = "Drag to move; + and \u2212, two fingers or Ctrl and the " +
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
/* On paper all is open. */
window.addEventListener("beforeprint", function () {
  [].forEach.call(document.querySelectorAll("details"), function (d) {
    d.open = true;
  });
});
