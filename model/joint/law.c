/* SPDX-License-Identifier: MIT */
#include "model/joint/law.h"

LawForce law_passive(const JointLaw *law, double q, double speed)
{
    return (LawForce){-law->viscous * speed - law->stiffness * (q - law->rest), law->stiffness, law->viscous};
}

/* Its command, within ctrl_range. */
static double drive_command(const JointDrive *drive, double command)
{
    return clamp(command, drive->ctrl_range[0], drive->ctrl_range[1]);
}

/* Before gear and bounds, at q = q' = 0. */
static double drive_offset(const JointDrive *drive)
{
    if (drive->kp > 0.0)
        return drive->force + drive->kp * drive_command(drive, drive->target) + drive->kd * drive->speed;
    if (drive->kd > 0.0)
        return drive->force + drive->kd * drive_command(drive, drive->speed);
    return drive_command(drive, drive->force);
}

static LawForce drive_force(const JointDrive *drive, double q, double speed)
{
    double gear = drive->gear;
    double free = drive_offset(drive) - gear * (drive->kp * q + drive->kd * speed);
    double force = clamp(free, drive->max[0], drive->max[1]);
    double slope = force == free ? gear * gear : 0.0;
    return (LawForce){gear * force, slope * drive->kp, slope * drive->kd};
}

LawForce law_drives(const JointLaw *law, double q, double speed)
{
    LawForce sum = {0};
    for (int i = 0; i < law->drive_count; i++) {
        LawForce one = drive_force(&law->drives[i], q, speed);
        sum = (LawForce){sum.force + one.force, sum.stiffness + one.stiffness, sum.damping + one.damping};
    }
    double force = clamp(sum.force, law->effort[0], law->effort[1]);
    return force == sum.force ? sum : (LawForce){.force = force};
}

LawForce law_force(const JointLaw *law, double q, double speed)
{
    LawForce passive = law_passive(law, q, speed), drives = law_drives(law, q, speed);
    return (LawForce){passive.force + drives.force, passive.stiffness + drives.stiffness,
                      passive.damping + drives.damping};
}

double law_energy(const JointLaw *law, double q)
{
    double stretch = q - law->rest;
    return 0.5 * law->stiffness * stretch * stretch;
}

bool law_has_drive(const JointLaw *law)
{
    return law->drive_count > 0;
}

bool law_acts(const JointLaw *law)
{
    return law->viscous > 0.0 || law->stiffness > 0.0 || law->armature > 0.0 || law_has_drive(law);
}
