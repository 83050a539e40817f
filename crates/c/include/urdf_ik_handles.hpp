/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What urdf_ik.hpp and urdf_ik_skeleton.hpp share: exceptions, handles that free themselves, and arguments. */
#ifndef URDF_IK_HANDLES_HPP
#define URDF_IK_HANDLES_HPP

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "urdf_ik.h"

namespace urdf_ik {

/* A call that failed, with the sentence of urdf_ik_error(). */
class Error : public std::runtime_error {
 public:
  explicit Error(UrdfIkStatus code) : std::runtime_error(urdf_ik_error()), status(code) {}

  UrdfIkStatus status;
};

inline void check(UrdfIkStatus status) {
  if (status != URDF_IK_STATUS_OK) {
    throw Error(status);
  }
}

/* A handle that is freed by Free. */
template <typename T, void (*Free)(T *)>
struct Freed {
  void operator()(T *handle) const { Free(handle); }
};

template <typename T, void (*Free)(T *)>
using Handle = std::unique_ptr<T, Freed<T, Free>>;

/* Numbers for all of `count` joints. */
inline const double *joints(const std::vector<double> &positions, std::size_t count) {
  if (positions.size() != count) {
    throw std::invalid_argument("there are " + std::to_string(positions.size()) + " numbers for " + std::to_string(count) + " joints");
  }
  return positions.data();
}

/* The addresses of texts, valid as long as the texts. */
inline std::vector<const char *> addresses(const std::vector<std::string> &texts) {
  std::vector<const char *> found;
  for (const std::string &text : texts) {
    found.push_back(text.c_str());
  }
  return found;
}

}  // namespace urdf_ik

#endif
