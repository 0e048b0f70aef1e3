/* SPDX-License-Identifier: MIT */
// Bullet's collision alone, for the contest of reports/generate/depth_contest.c: pairs of boxes on standard input, each
// box as half edges, centre and turn (nine numbers, row by row); into the file that is named go, for each way of
// asking, a line `way seconds` and a line `found nx ny nz depth` a pair, n from the first to the second. Boxes have no
// margin, so that they are the same bodies as everybody's. Only the queries are on the clock, the quickest of three
// rounds.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <BulletCollision/CollisionDispatch/btBoxBoxDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <btBulletCollisionCommon.h>

namespace
{

constexpr int ROUNDS = 3; // CONTEST_ROUNDS of reports/generate/depth_contest.h

struct Pair {
    std::unique_ptr<btBoxShape> box[2];
    btDiscreteCollisionDetectorInterface::ClosestPointInput input;
};

using Ask = void (*)(const Pair &pair, btPointCollector &answer);

// As Bullet asks of any two convex shapes.
void ask_epa(const Pair &pair, btPointCollector &answer)
{
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver epa;
    btGjkPairDetector detector(pair.box[0].get(), pair.box[1].get(), &simplex, &epa);
    detector.getClosestPoints(pair.input, answer, nullptr);
}

// As it asks of two boxes.
void ask_boxes(const Pair &pair, btPointCollector &answer)
{
    btBoxBoxDetector detector(pair.box[0].get(), pair.box[1].get());
    detector.getClosestPoints(pair.input, answer, nullptr);
}

bool read_numbers(double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (std::scanf("%lf", &numbers[i]) != 1)
            return false;
    return true;
}

bool read_box(std::unique_ptr<btBoxShape> &box, btTransform &place)
{
    double v[15];
    if (!read_numbers(v, 15))
        return false;
    box.reset(new btBoxShape(btVector3(v[0], v[1], v[2])));
    box->setMargin(0.0);
    place.setOrigin(btVector3(v[3], v[4], v[5]));
    place.setBasis(btMatrix3x3(v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14]));
    return true;
}

void answer_all(std::FILE *out, const char *way, Ask ask, const std::vector<Pair> &pairs)
{
    std::vector<btPointCollector> answers;
    double least = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        answers.assign(pairs.size(), btPointCollector());
        const auto begun = std::chrono::steady_clock::now();
        for (size_t i = 0; i < pairs.size(); i++)
            ask(pairs[i], answers[i]);
        least = std::fmin(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    }
    std::fprintf(out, "%s %.9g\n", way, least);
    for (const btPointCollector &answer : answers) {
        const bool found = answer.m_hasResult && answer.m_distance < 0.0;
        const btVector3 n = found ? -answer.m_normalOnBInWorld : btVector3(0, 0, 0); // Bullet's is from B to A
        std::fprintf(out, "%d %.17g %.17g %.17g %.17g\n", found, double(n.x()), double(n.y()), double(n.z()),
                     found ? -double(answer.m_distance) : 0.0);
    }
}

} // namespace

int main(int count, char **words)
{
    std::FILE *out = count == 2 ? std::fopen(words[1], "w") : nullptr;
    if (!out) {
        std::fprintf(stderr, "usage: bullet_pairs FILE <PAIRS\n");
        return 2;
    }
    std::vector<Pair> pairs;
    for (Pair pair; read_box(pair.box[0], pair.input.m_transformA) && read_box(pair.box[1], pair.input.m_transformB);)
        pairs.push_back(std::move(pair));
    answer_all(out, "epa", ask_epa, pairs);
    answer_all(out, "boxes", ask_boxes, pairs);
    return std::fclose(out) == 0 ? 0 : 1;
}
