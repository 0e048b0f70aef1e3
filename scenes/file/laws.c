/* SPDX-License-Identifier: MIT */
/* Laws of joints' coordinates (model/joint/law.h): springs, viscous and dry friction, armature, drives. */
#include "scenes/file/file.h"

#include <stddef.h>
#include <string.h>

/* Numbers of a law and of a drive. */
typedef struct LawNumber {
    const char *key;
    size_t offset;
    double initial, least;
} LawNumber;

static const LawNumber LAW[] = {
    {"viscous", offsetof(JointLaw, viscous), 0.0, 0.0},
    {"armature", offsetof(JointLaw, armature), 0.0, 0.0},
    {"dry_friction", offsetof(JointLaw, dry_friction), 0.0, 0.0},
};

static const LawNumber DRIVE[] = {
    {"force", offsetof(JointDrive, force), 0.0, -INFINITY},
    {"kp", offsetof(JointDrive, kp), 0.0, 0.0},
    {"kd", offsetof(JointDrive, kd), 0.0, 0.0},
    {"target", offsetof(JointDrive, target), 0.0, -INFINITY},
    {"speed", offsetof(JointDrive, speed), 0.0, -INFINITY},
    {"gear", offsetof(JointDrive, gear), 1.0, -INFINITY},
};

enum { LAW_NUMBERS = sizeof LAW / sizeof LAW[0], DRIVE_NUMBERS = sizeof DRIVE / sizeof DRIVE[0] };

static bool read_law_numbers(const Node *object, const LawNumber *table, int count, void *into)
{
    for (int i = 0; i < count; i++) {
        double *value = (double *)((char *)into + table[i].offset);
        if (!node_at_least(node_get(object, table[i].key), table[i].least, value))
            return false;
    }
    return true;
}

static bool write_law_numbers(json_t *object, const LawNumber *table, int count, const void *from)
{
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        double value = *(const double *)((const char *)from + table[i].offset);
        ok = value == table[i].initial || file_put(object, table[i].key, json_real(value));
    }
    return ok;
}

bool file_read_range(Node node, double range[2])
{
    if (!node.value)
        return true;
    return node_array_of(node, 2) && node_real(node_at(&node, 0), &range[0]) &&
           node_real(node_at(&node, 1), &range[1]) &&
           (range[0] <= range[1] || node_fail(node, "%g is above %g", range[0], range[1]));
}

/* F for -F..F, or both ends. */
static bool read_bound(Node node, double range[2])
{
    if (!node.value || !json_is_number(node.value))
        return file_read_range(node, range);
    if (!node_at_least(node, 0.0, &range[1]))
        return false;
    range[0] = -range[1];
    return true;
}

json_t *file_write_range(const double range[2])
{
    return json_pack("[f,f]", range[0], range[1]);
}

static bool write_bound(json_t *object, const char *key, const double range[2])
{
    if (isinf(range[0]) && isinf(range[1]))
        return true;
    return file_put(object, key, range[0] == -range[1] ? json_real(range[1]) : file_write_range(range));
}

static bool read_drive(Node node, JointDrive *drive)
{
    static const char *const keys[] = {"force", "kp", "kd", "target", "speed", "gear", "max", "ctrl_range", NULL};
    *drive = (JointDrive)JOINT_DRIVE_INIT;
    if (!json_is_object(node.value))
        return node_wrong_type(node, "an object");
    return node_object(node, keys) && read_law_numbers(&node, DRIVE, DRIVE_NUMBERS, drive) &&
           read_bound(node_get(&node, "max"), drive->max) &&
           file_read_range(node_get(&node, "ctrl_range"), drive->ctrl_range);
}

static bool read_drives(Node node, JointLaw *law)
{
    if (!node.value)
        return true;
    if (!json_is_array(node.value)) {
        law->drive_count = 1;
        return read_drive(node, &law->drives[0]);
    }
    size_t count = json_array_size(node.value);
    if (count > JOINT_MAX_DRIVES)
        return node_fail(node, "has %zu drives; a coordinate has at most %d", count, JOINT_MAX_DRIVES);
    law->drive_count = (int)count;
    for (size_t i = 0; i < count; i++)
        if (!read_drive(node_at(&node, i), &law->drives[i]))
            return false;
    return true;
}

static bool read_spring(Node node, bool ball, JointLaw *law)
{
    static const char *const keys[] = {"stiffness", "rest", NULL};
    Node rest = node_get(&node, "rest");
    if (!node.value)
        return true;
    if (!node_object(node, keys) || !node_required(node_get(&node, "stiffness")) ||
        !node_at_least(node_get(&node, "stiffness"), 0.0, &law->stiffness) || !node_real(rest, &law->rest))
        return false;
    return !ball || !rest.value || node_fail(rest, "a ball's spring rests where its turn is zero");
}

bool file_read_law(const Node *object, bool ball, JointLaw *law, bool *given)
{
    static const char *const keys[] = {"viscous", "spring", "armature", "dry_friction", "drive", "effort", "start"};
    Node start = node_get(object, "start"), effort = node_get(object, "effort");
    *law = (JointLaw)JOINT_LAW_INIT;
    *given = false;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        *given = *given || json_object_get(object->value, keys[i]);
    return read_law_numbers(object, LAW, LAW_NUMBERS, law) && read_spring(node_get(object, "spring"), ball, law) &&
           read_drives(node_get(object, "drive"), law) && read_bound(effort, law->effort) &&
           (ball ? node_quat(start, &law->start_turn) : node_real(start, &law->start));
}

static bool write_drive(json_t *drives, const JointDrive *drive)
{
    json_t *object = json_object();
    bool limited = !isinf(drive->ctrl_range[0]) || !isinf(drive->ctrl_range[1]);
    return json_array_append_new(drives, object) == 0 && write_law_numbers(object, DRIVE, DRIVE_NUMBERS, drive) &&
           write_bound(object, "max", drive->max) &&
           (!limited || file_put(object, "ctrl_range", file_write_range(drive->ctrl_range)));
}

static bool write_drives(json_t *object, const JointLaw *law)
{
    if (law->drive_count == 0)
        return true;
    json_t *drives = file_put_part(object, "drive", json_array());
    bool ok = drives;
    for (int i = 0; ok && i < law->drive_count; i++)
        ok = write_drive(drives, &law->drives[i]);
    return ok;
}

static bool write_spring(json_t *object, const JointLaw *law)
{
    if (law->stiffness == 0.0 && law->rest == 0.0)
        return true;
    json_t *spring = file_put_part(object, "spring", json_object());
    return file_put(spring, "stiffness", json_real(law->stiffness)) &&
           (law->rest == 0.0 || file_put(spring, "rest", json_real(law->rest)));
}

bool file_write_law(json_t *object, const JointLaw *law)
{
    Quat turn = law->start_turn;
    bool turned = turn.w != 1.0 || turn.x != 0.0 || turn.y != 0.0 || turn.z != 0.0;
    return write_law_numbers(object, LAW, LAW_NUMBERS, law) && write_spring(object, law) && write_drives(object, law) &&
           write_bound(object, "effort", law->effort) &&
           (law->start == 0.0 || file_put(object, "start", json_real(law->start))) &&
           (!turned || file_put(object, "start", json_pack("[f,f,f,f]", turn.w, turn.x, turn.y, turn.z)));
}
