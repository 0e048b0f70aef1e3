/* SPDX-License-Identifier: MIT */
#include "bench/files/hdf5_file.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Longer than any path in a file of ours. */
enum { WHERE_TEXT = 256 };

/* HDF5 copies an image into memory of its own, three times. Here every copy is the mapped file, which nobody writes:
 * the library's driver for memory writes nothing to a file that is opened for reading. */
static void *image_malloc(size_t size, H5FD_file_image_op_t op, void *image)
{
    (void)size, (void)op;
    return image;
}

static void *image_copy(void *to, const void *from, size_t size, H5FD_file_image_op_t op, void *image)
{
    (void)from, (void)size, (void)op, (void)image;
    return to;
}

static void *image_realloc(void *old, size_t size, H5FD_file_image_op_t op, void *image)
{
    (void)old, (void)size, (void)op, (void)image;
    return NULL; /* a file that is only read does not grow */
}

static herr_t image_free(void *image, H5FD_file_image_op_t op, void *same)
{
    (void)image, (void)op, (void)same;
    return 0;
}

static void *image_same(void *image)
{
    return image;
}

static herr_t image_keep(void *image)
{
    (void)image;
    return 0;
}

static hid_t image_open(void *image, size_t bytes)
{
    H5FD_file_image_callbacks_t calls = {image_malloc, image_copy, image_realloc, image_free,
                                         image_same,   image_keep, image};
    hid_t file = -1, access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_fapl_core(access, 1 << 16, 0) >= 0 && H5Pset_file_image_callbacks(access, &calls) >= 0 &&
        H5Pset_file_image(access, image, bytes) >= 0)
        file = H5Fopen("/image", H5F_ACC_RDONLY, access); /* of an absolute name no folder is asked */
    if (access >= 0)
        H5Pclose(access);
    return file;
}

bool hdf5_open(Hdf5File *file, int fd)
{
    *file = (Hdf5File){.file = -1};
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &file->tell, &file->tell_data);
    H5PLget_loading_state(&file->plugins);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* messages are made here, not printed by the library */
    H5PLset_loading_state(0);              /* no filter is loaded because a file asks for it */
    off_t bytes = lseek(fd, 0, SEEK_END);
    void *image = bytes > 0 ? mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (image == MAP_FAILED)
        return false;
    file->bytes = (unsigned long long)bytes;
    file->image = image;
    file->file = image_open(image, (size_t)bytes);
    return file->file >= 0;
}

void hdf5_close(Hdf5File *file)
{
    if (file->file >= 0)
        H5Fclose(file->file);
    H5PLset_loading_state(file->plugins);
    H5Eset_auto2(H5E_DEFAULT, file->tell, file->tell_data);
    if (file->image)
        munmap(file->image, (size_t)file->bytes);
    *file = (Hdf5File){.file = -1};
}

bool hdf5_has(const Hdf5File *file, const char *where)
{
    char part[WHERE_TEXT];
    size_t length = strlen(where);
    if (length >= sizeof part)
        return false;
    for (size_t end = 1; end <= length; end++) {
        H5L_info_t link;
        if (where[end] != '/' && where[end] != '\0')
            continue;
        memcpy(part, where, end);
        part[end] = '\0';
        if (H5Lexists(file->file, part, H5P_DEFAULT) <= 0 || H5Lget_info(file->file, part, &link, H5P_DEFAULT) < 0 ||
            link.type != H5L_TYPE_HARD)
            return false;
    }
    return true;
}

/* Filters that are part of the library. */
static bool filters_are_known(hid_t plan)
{
    int count = H5Pget_nfilters(plan);
    for (int i = 0; i < count; i++) {
        size_t numbers = 0;
        H5Z_filter_t filter = H5Pget_filter2(plan, (unsigned)i, NULL, &numbers, NULL, 0, NULL, NULL);
        if (filter < H5Z_FILTER_DEFLATE || filter > H5Z_FILTER_SCALEOFFSET)
            return false;
    }
    return count >= 0;
}

static bool stored_here(hid_t dataset)
{
    hid_t plan = H5Dget_create_plist(dataset);
    H5D_layout_t layout = plan >= 0 ? H5Pget_layout(plan) : H5D_LAYOUT_ERROR;
    bool here = (layout == H5D_CHUNKED || layout == H5D_CONTIGUOUS || layout == H5D_COMPACT) &&
                H5Pget_external_count(plan) == 0 && filters_are_known(plan);
    if (plan >= 0)
        H5Pclose(plan);
    return here;
}

hid_t hdf5_dataset(const Hdf5File *file, const char *where)
{
    hid_t dataset = hdf5_has(file, where) ? H5Dopen2(file->file, where, H5P_DEFAULT) : -1;
    if (dataset >= 0 && !stored_here(dataset)) {
        H5Dclose(dataset);
        return -1;
    }
    return dataset;
}
