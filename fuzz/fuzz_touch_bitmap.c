/**
 * @file fuzz_touch_bitmap.c
 * @brief Fuzz target: the reader of bitmaps of textures, from raw bytes.
 *
 * What is demanded: a known status, pixels with success only and a text with failure only; a good
 * texture, whose heights stay within its height.
 */
#include "reading.h"

#include <math.h>

static void judge_bitmap(const ov_touch_bitmap *b) {
    ov_touch_texture t = {.kind = OV_TOUCH_TEXTURE_BITMAP,
                          .height = 1.0,
                          .wavelength = 1.0,
                          .values = b->values,
                          .rows = b->rows,
                          .columns = b->columns};
    demand(ov_touch_texture_check(&t) == OV_OK, "a good texture");
    unsigned sum = 0;
    for (size_t i = 0; i < b->rows * b->columns; i++) {
        sum += b->values[i];
    }
    for (int i = 0; i < 4; i++) {
        ov_vec3 gradient;
        double u = (double)(b->columns) * (i & 1) - 0.5, v = (double)(b->rows) * (i >> 1) + 0.25;
        double height = ov_touch_texture_height(&t, ov_vec3_make(u, v, 0.0), &gradient);
        demand(fabs(height) <= 1.0 + 1e-12 && ov_vec3_is_finite(gradient), "heights");
        demand(sum > 0 || height <= -1.0 + 1e-12, "black is low");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FILE *stream = open_bytes(data, size);
    ov_touch_bitmap bitmap;
    ov_fault fault;
    ov_status status = ov_touch_bitmap_read_stream(stream, &bitmap, &fault);
    (void)fclose(stream);
    demand(status <= OV_OK, "status of reading");
    demand((status == OV_OK) == (bitmap.values != NULL), "pixels with success only");
    judge_text(status, &fault);
    if (status == OV_OK) {
        judge_bitmap(&bitmap);
    }
    ov_touch_bitmap_free(&bitmap);
    return 0;
}
