#include "model/status.h"

#include <stdio.h> /* vsnprintf: formats into memory, touches no file */

bool status_set(Status *status, StatusCode code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    status_set_list(status, code, format, arguments);
    va_end(arguments);
    return false;
}

bool status_set_list(Status *status, StatusCode code, const char *format, va_list arguments)
{
    status->code = code;
    vsnprintf(status->message, sizeof status->message, format, arguments);
    return false;
}
