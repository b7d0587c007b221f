#ifndef X
#define X
#include <ovoid/shape.h>
#include <ovoid/fit_input.h>
typedef enum ov_fit_mode { OV_FIT_MODE_ENCLOSE=0, OV_FIT_MODE_APPROXIMATE, OV_FIT_MODE_INSIDE } ov_fit_mode;
#endif
