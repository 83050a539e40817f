/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Skeletons in C++17: part of urdf_ik.hpp. */
#ifndef URDF_IK_SKELETON_HPP
#define URDF_IK_SKELETON_HPP

#include "urdf_ik_handles.hpp"

namespace urdf_ik {

/* A pose of a skeleton: `->` has its fields. Threads can share it. */
class SkeletonAnswer {
 public:
  explicit SkeletonAnswer(UrdfIkSkeletonAnswer *answer) : answer_(answer) {}

  const UrdfIkSkeletonAnswer *get() const { return answer_.get(); }

  const UrdfIkSkeletonAnswer *operator->() const { return get(); }

 private:
  Handle<UrdfIkSkeletonAnswer, urdf_ik_skeleton_answer_free> answer_;
};

/* A figure of segments, without a URDF. Threads can share it. */
class Skeleton {
 public:
  static Skeleton from_file(const std::string &path) {
    UrdfIkSkeleton *skeleton = nullptr;
    check(urdf_ik_skeleton_from_file(path.c_str(), &skeleton));
    return Skeleton(skeleton);
  }

  static Skeleton from_yaml(const std::string &yaml) {
    UrdfIkSkeleton *skeleton = nullptr;
    check(urdf_ik_skeleton_from_yaml(yaml.c_str(), &skeleton));
    return Skeleton(skeleton);
  }

  /* Names of the points: the root, then the end of each segment. */
  std::vector<std::string> points() const {
    std::vector<std::string> names;
    while (const char *name = urdf_ik_skeleton_point_name(skeleton_.get(), names.size())) {
      names.emplace_back(name);
    }
    return names;
  }

  /* True if a point is meant to have a target. */
  bool is_end(std::size_t point) const { return urdf_ik_skeleton_is_end(skeleton_.get(), point) != 0; }

  /* The points at rest, rows of x, y, z [m]. */
  std::vector<double> rest() const {
    std::vector<double> points(3 * urdf_ik_skeleton_point_count(skeleton_.get()));
    check(urdf_ik_skeleton_rest(skeleton_.get(), points.data()));
    return points;
  }

  SkeletonAnswer solve(const UrdfIkSkeletonProblem &problem) const {
    UrdfIkSkeletonAnswer *answer = nullptr;
    check(urdf_ik_skeleton_solve(skeleton_.get(), &problem, &answer));
    return SkeletonAnswer(answer);
  }

 private:
  explicit Skeleton(UrdfIkSkeleton *skeleton) : skeleton_(skeleton) {}

  Handle<UrdfIkSkeleton, urdf_ik_skeleton_free> skeleton_;
};

}  // namespace urdf_ik

#endif
