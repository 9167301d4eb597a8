#include "stats/summary.h"

#include "check.h"
#include "folder.h"
#include "scarce.h"
#include "tiny.h"

static Tiny tiny;

/* From t = 0 to t = 10. */
static void fill_statistics(Tiny *t)
{
    t->head.t = R(10.0);
    t->collect[0] = (CosyCollect){.active = 1,
                                  .n = 3,
                                  .mean = R(2.0),
                                  .square = R(8.0),
                                  .min = R(0.0),
                                  .max = R(4.0)};
    t->collect[1].active = 1;
    /* 1 up to t = 5, then 3 */
    t->timepers[0] = (CosyTimepers){.active = 1,
                                    .value = R(3.0),
                                    .since = R(5.0),
                                    .area = R(5.0),
                                    .square = R(5.0),
                                    .min = R(1.0),
                                    .max = R(3.0)};
    t->histogram[0] = (CosyHistogram){.active = 1,
                                      .first = R(1.0),
                                      .width = R(0.5),
                                      .cells = 2,
                                      .count = {4, 5, 6, 7}};
    /* held for 4 so far, and since t = 9; one has waited since t = 8 */
    t->resource[0] = (CosyResource){.capacity = 1,
                                    .used = 1,
                                    .waiting = 1,
                                    .most_waiting = 2,
                                    .most_used = 1,
                                    .entries = 4,
                                    .waits = 2,
                                    .used_since = R(9.0),
                                    .used_area = R(4.0),
                                    .wait_since = R(8.0),
                                    .wait_area = R(3.0),
                                    .wait_sum = R(3.0),
                                    .wait_max = R(2.0)};
    t->resource[1] = (CosyResource){.entries = 1,
                                    .waits = 1,
                                    .most_waiting = 1,
                                    .used_since = R(10.0),
                                    .used_area = R(2.5),
                                    .wait_since = R(10.0),
                                    .wait_area = R(3.0),
                                    .wait_sum = R(3.0),
                                    .wait_max = R(3.0)};
    t->population[0] = (CosyPopulation){.count = 2,
                                        .most = 2,
                                        .entries = 3,
                                        .stay_sum = R(6.0),
                                        .stay_max = R(6.0)};
    t->resource[2] = (CosyResource){
        .capacity = 10, .used_since = R(10.0), .used_area = R(50.0)};
    t->file[0] = (CosyFile){.count = 1,
                            .most = 2,
                            .entries = 5,
                            .since = R(8.0),
                            .area = R(8.0),
                            .stay_sum = R(8.0),
                            .stay_max = R(4.0)};
}

static const RunSetting parameters[] = {
    {.variable = TINY_K, .index = COSY_NONE, .value = R(0.1)},
    {.variable = TINY_M, .index = 1, .value = R(7.0)},
    {.variable = TINY_N, .index = COSY_NONE, .value = R(7.0)},
};

static const RunFacts facts = {.run = 3,
                               .frame = 1,
                               .parameter = parameters,
                               .parameters = LENGTH(parameters),
                               .status = "finished",
                               .message = "all \"well\"",
                               .method = "DOPRI5",
                               .steps = 1,
                               .rejected = 2,
                               .rhs = 3,
                               .jacobians = 4,
                               .state_events = 5,
                               .time_events = 6,
                               .hidden_events = 7,
                               .event_iterations = 8,
                               .process_events = 9,
                               .wall_s = 0.25};

/* The text below: ' is a quotation mark, <1> a real number, which is in such
   marks unless it is a double. */
static const char expected_run[] =
    "{'run': 3, 'frame': 1, 'parameters': {'K': <0.1>, 'M[1,2]': <7>, 'N': 7},"
    "\n 'status': 'finished', 'message': 'all \\'well\\'',\n"
    " 't_begin': <0>, 't_end': <10>,\n"
    " 'final': {'X': <0.5>, 'K': <0.1>, 'V': [<1>, <2>, <3>], "
    "'M': [<11>, <12>, <21>, <22>], 'N': 9007199254740993, 'FLAG': 1, "
    "'U': 'final-0003.csv'},\n"
    " 'method': 'DOPRI5', 'counts': {'steps': 1, 'rejected': 2, 'rhs': 3, "
    "'jacobians': 4, 'state_events': 5, 'time_events': 6, 'hidden_events': 7, "
    "'event_iterations': 8, 'process_events': 9},\n"
    " 'statistics': {'collect': {"
    "'WAIT': {'n': 3, 'mean': <2>, 'sd': <2>, 'min': <0>, 'max': <4>, 'ci95': "
    "null, 'batches': 0, 'lag1': null}, "
    "'NONE': {'n': 0, 'mean': null, 'sd': null, 'min': null, 'max': null, "
    "'ci95': null, 'batches': 0, 'lag1': null}}, "
    "'timepers': {'LEVEL': {'time': <10>, 'mean': <2>, 'sd': <1>, 'min': <1>, "
    "'max': <3>, 'ci95': null, 'batches': 0, 'lag1': null}}, "
    "'histogram': {'H': {'edges': [<1>, <1.5>, <2>], 'counts': [4, 5, 6, 7]}}, "
    "'facility': {'DESK': {'utilisation': <0.5>, 'mean_content': <0.5>, "
    "'max_content': 1, 'content': 1, 'idle': <0.5>, 'down': <0>, 'failures': "
    "0, 'entries': 4, 'waits': 2, 'waited': 1, 'gave_up': 0, 'mean_wait': "
    "<0.75>, "
    "'max_wait': <2>, 'mean_queue': <0.5>, 'max_queue': 2, 'queue': 1}}, "
    "'storage': {'PARK': {'utilisation': <0.5>, 'mean_content': <5>, "
    "'max_content': 0, 'content': 0, 'lost': 0, 'entries': 0, 'waits': 0, "
    "'waited': 0, 'gave_up': 0, "
    "'mean_wait': null, "
    "'max_wait': <0>, 'mean_queue': <0>, 'max_queue': 0, 'queue': 0}}, "
    "'gate': {'DOOR': {'open': <0.25>, 'entries': 1, 'waits': 1, 'waited': 1, "
    "'gave_up': 0, 'mean_wait': "
    "<3>, "
    "'max_wait': <3>, 'mean_queue': <0.3>, 'max_queue': 1, 'queue': 0}}, "
    "'signal': {}, 'any_of': {}, "
    "'file': {'LINE': {'entries': 5, 'content': 1, 'mean_content': <1>, "
    "'max_content': 2, 'mean_stay': <2>, 'max_stay': <4>}}, "
    "'process': {'CUSTOMER': {'entries': 3, 'content': 2, 'mean_content': "
    "<0.6>, "
    "'max_content': 2, 'mean_stay': <6>, 'max_stay': <6>}}},\n"
    " 'wall_s': 0.250000}";

static void put_expected(Buffer *b)
{
    for (const char *s = expected_run; *s != '\0'; s++) {
        if (*s == '\'')
            buffer_char(b, '"');
        else if (*s != '<' && *s != '>')
            buffer_char(b, *s);
        else if (COSY_PRECISION != 1)
            buffer_char(b, '"');
    }
}

static void test_run(void)
{
    Buffer b = {0}, expected = {0};
    tiny_make(&tiny);
    fill_statistics(&tiny);
    CHECK(summary_run(&b, &tiny.c, &facts) == STATUS_OK);
    put_expected(&expected);
    CHECK_TEXT(buffer_string(&b), buffer_string(&expected));
    buffer_free(&b);
    buffer_free(&expected);
}

/* A run that failed before time passed, with a value that is NaN. */
static void test_failed_run(void)
{
    RunFacts f = {.run = 1, .status = "failed"};
    Buffer b = {0};
    tiny_make(&tiny);
    tiny.x[1] = COSY_REAL_MAX * R(2.0);
    CHECK(summary_run(&b, &tiny.c, &f) == STATUS_OK);
    CHECK(strstr(buffer_string(&b), "\"message\": null") != NULL);
    CHECK(strstr(buffer_string(&b), "\"X\": null") != NULL);
    CHECK(strstr(buffer_string(&b), "\"utilisation\": null") != NULL);
    CHECK(strstr(buffer_string(&b), "nan") == NULL);
    CHECK(strstr(buffer_string(&b), "inf") == NULL);
    buffer_free(&b);
}

static void put_runs(Buffer runs[2])
{
    buffer_text(&runs[0], "{\"run\": 1}");
    buffer_text(&runs[1], "{\"run\": 2}");
}

static const char expected_file[] =
    "{\"program\": \"TINY\", \"cosy\": \"" COSY_RELEASE
    "\", \"results_version\": 1, \"model_sha256\": \"0123456789abcdef\",\n"
    " \"runs\": [\n{\"run\": 1},\n{\"run\": 2}]}\n";

static void test_file(Folder *d)
{
    Buffer runs[2] = {0}, copy = {0}, text = {0};
    Fault f = {0};
    put_runs(runs);
    CHECK(summary_write(folder_file(d, "a/b"), &tiny_model, runs, 2, NULL, NULL,
                        NULL, NULL, &copy, &f) == STATUS_OK);
    CHECK(file_read(folder_file(d, "a/b/summary.json"), &text, &f) ==
          STATUS_OK);
    CHECK_TEXT(buffer_string(&text), expected_file);
    CHECK_TEXT(buffer_string(&copy), expected_file);
    text.v.used = 0;
    CHECK(summary_write(d->path, &tiny_model, NULL, 0, NULL, NULL, NULL, NULL,
                        NULL, &f) == STATUS_OK);
    CHECK(file_read(folder_file(d, "summary.json"), &text, &f) == STATUS_OK);
    CHECK(strstr(buffer_string(&text), "\"runs\": []}\n") != NULL);
    text.v.used = 0;
    CHECK(summary_write(NULL, &tiny_model, NULL, 0, NULL, NULL, NULL,
                        "{\"seed\": 7}", &text, &f) == STATUS_OK);
    CHECK(strstr(buffer_string(&text),
                 "\"runs\": [],\n \"provenance\": {\"seed\": 7}}\n") != NULL);
    buffer_free(&runs[0]);
    buffer_free(&runs[1]);
    buffer_free(&copy);
    buffer_free(&text);
}

static void test_units(void)
{
    CosyVariable variables[LENGTH(tiny_variables)];
    static const CosyCopyInfo copies[] = {{.name = "STONE"}};
    CosyModel m = tiny_with_units(variables);
    Buffer copy = {0};
    variables[TINY_COPY].unit = "kg";
    m.copies = copies;
    m.n_copies = LENGTH(copies);
    Fault f = {0};
    CHECK(!summary_has_units(&tiny_model) && summary_has_units(&m));
    CHECK(summary_write(NULL, &m, NULL, 0, NULL, NULL, NULL, NULL, &copy, &f) ==
          STATUS_OK);
    CHECK(strstr(buffer_string(&copy),
                 "\n \"units\": {\"TIME\": \"min\", \"X\": \"km\", \"M\": "
                 "\"1/s\", \"STONE.OFCOPY\": \"kg\"},\n \"runs\": []}") !=
          NULL);
    buffer_free(&copy);
}

static void test_bad_places(Folder *d)
{
    Buffer runs[2] = {0};
    Fault f = {0};
    put_runs(runs);
    CHECK(summary_write("/dev/null/x", &tiny_model, runs, 2, NULL, NULL, NULL,
                        NULL, NULL, &f) == STATUS_FILE);
    f = (Fault){0};
    CHECK(dir_make(folder_file(d, "c/summary.json"), &f) == STATUS_OK);
    CHECK(summary_write(folder_file(d, "c"), &tiny_model, runs, 2, NULL, NULL,
                        NULL, NULL, NULL, &f) == STATUS_FILE);
    CHECK(strstr(f.text, "summary.json") != NULL);
    runs[1].broken = true;
    f = (Fault){0};
    CHECK(summary_write(folder_file(d, "e"), &tiny_model, runs, 2, NULL, NULL,
                        NULL, NULL, NULL, &f) == STATUS_MEMORY);
    CHECK(access(folder_file(d, "e/summary.json"), F_OK) != 0);
    buffer_free(&runs[0]);
    buffer_free(&runs[1]);
}

static void test_no_memory(Folder *d)
{
    long refused = 1;
    tiny_make(&tiny);
    fill_statistics(&tiny);
    for (long n = 0; refused > 0 && n < 1000; n++) {
        Buffer b = {0};
        Fault f = {0};
        Status s;
        unlink(folder_file(d, "summary.json"));
        scarce_begin(n);
        s = summary_run(&b, &tiny.c, &facts);
        if (s == STATUS_OK)
            s = summary_write(d->path, &tiny_model, &b, 1, NULL, NULL, NULL,
                              NULL, NULL, &f);
        refused = scarce_end();
        CHECK(s == STATUS_OK || refused > 0);
        CHECK((access(folder_file(d, "summary.json"), F_OK) == 0) ==
              (s == STATUS_OK));
        buffer_free(&b);
    }
}

int main(void)
{
    Folder d;
    folder_make(&d);
    test_run();
    test_failed_run();
    test_file(&d);
    test_units();
    test_bad_places(&d);
    test_no_memory(&d);
    folder_remove(&d);
    return check_end();
}
