/* SPDX-License-Identifier: MIT */
/* Recordings, as the child of `rigor view` reads them, in this process. HDF5 itself leaks on damaged files: leaks are
 * not looked for. */
#include "tests/fuzz/fuzz.h"

#include "reports/recording/read.h"
#include "tests/fuzz/hdf5_heap.h"

static void read_everything(const RecordingFile *recording)
{
    static const char *const NAMES[] = {"time",     "position",        "orientation",
                                        "velocity", "contacts/offset", "contacts/point"};
    static const int RANKS[] = {1, 3, 3, 3, 1, 2};
    json_decref(recording_document(recording, "scene"));
    json_decref(recording_document(recording, "run"));
    json_decref(recording_body_names(recording));
    json_decref(recording_metric_names(recording));
    for (int i = 0; i < 6; i++) {
        Array array;
        if (recording_array(recording, NAMES[i], RANKS[i], NULL, &array))
            free(array.values);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (hdf5_loops(data, size))
        return 0;
    FuzzFile file = fuzz_open(data, size);
    Status status = {0};
    RecordingFile recording;
    if (recording_open(&recording, file.fd, "fuzz", &status))
        read_everything(&recording);
    recording_close(&recording);
    fuzz_close(&file);
    return 0;
}
