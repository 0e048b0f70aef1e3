/* SPDX-License-Identifier: MIT */
/* Expressions and captions of figures. */
#include "tests/fuzz/fuzz.h"

#include "reports/figure/expression.h"
#include "reports/figure/figure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Status status = {0};
    double value;
    char *text = fuzz_text(data, size);
    json_t *rows = json_pack("[{s:f, s:s}, {s:f, s:s}]", "a", 1.5, "solver", "pgs", "a", 2.5, "solver", "xpbd");
    Text out = {0};
    expression_check(text, &status);
    figure_value(rows, text, 1.0, &value, &status);
    caption_fill(text, rows, &out, &status);
    free(out.data);
    json_decref(rows);
    free(text);
    return 0;
}
