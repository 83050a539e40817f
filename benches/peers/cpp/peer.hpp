// What the C++ peers share: the problem file, the time limit, random postures, and the answer on standard output.
//
// A problem file is text: the URDF of the chain, the time limit [s], the tolerance [m and rad], the segments of the
// chain from base to tip, and the cases. Angles are in radians, lengths in metres, quaternions are x y z w.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace peer {

using Positions = std::vector<double>;

// One joint with the link behind it. A fixed one has no variable; a circle is a continuous joint.
struct Segment {
  std::string kind;  // fixed, turn, circle or slide
  double origin[3], roll_pitch_yaw[3], axis[3], lower, upper;

  bool moves() const { return kind != "fixed"; }
  bool turns() const { return kind == "turn" || kind == "circle"; }
  bool has_limits() const { return kind != "circle"; }
};

struct Case {
  Positions seed;
  double position[3], quaternion[4];
};

struct Problem {
  std::string urdf, tip;
  double limit, tolerance;
  std::vector<Segment> segments;
  std::vector<Segment> joints;  // the segments that move
  std::vector<Case> cases;
};

inline Problem read_problem(const char* path) {
  std::ifstream file(path);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  Problem problem;
  std::size_t count = 0;
  const auto read = [&file](double& value) { file >> value; };
  std::getline(file, problem.urdf);
  file >> problem.tip >> problem.limit >> problem.tolerance >> count;
  for (problem.segments.resize(count); Segment& segment : problem.segments) {
    file >> segment.kind;
    for (double* vector : {segment.origin, segment.roll_pitch_yaw, segment.axis}) {
      std::for_each(vector, vector + 3, read);
    }
    file >> segment.lower >> segment.upper;
    if (segment.moves()) {
      problem.joints.push_back(segment);
    }
  }
  file >> count;
  for (problem.cases.resize(count); Case& one : problem.cases) {
    one.seed.resize(problem.joints.size());
    std::for_each(one.seed.begin(), one.seed.end(), read);
    std::for_each(one.position, one.position + 3, read);
    std::for_each(one.quaternion, one.quaternion + 4, read);
  }
  return problem;
}

// Starting points inside the limits: the given seed first, random ones afterwards.
class Starts {
 public:
  Starts(const Problem& problem, const Case& one) : problem_(problem), next_(one.seed) {}

  const Positions& current() const { return next_; }

  void draw() {
    for (std::size_t i = 0; i < next_.size(); ++i) {
      next_[i] = std::uniform_real_distribution<double>(problem_.joints[i].lower, problem_.joints[i].upper)(random_);
    }
  }

 private:
  const Problem& problem_;
  Positions next_;
  std::mt19937_64 random_{1};  // the same in each run of a case
};

using Clock = std::function<bool()>;  // whether the time is over
using Attempt = std::function<std::optional<Positions>(const Case&, const Positions& start, const Clock& late)>;
using Prepare = std::function<Attempt(const Problem&)>;

// Attempts from one start after the other until one succeeds or the time is over. An attempt may check the clock.
inline std::optional<Positions> search(const Problem& problem, const Case& one, const Attempt& attempt) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(problem.limit);
  const Clock late = [end] { return std::chrono::steady_clock::now() >= end; };
  Starts starts(problem, one);
  do {
    if (auto found = attempt(one, starts.current(), late)) {
      return found;
    }
    starts.draw();
  } while (!late());
  return std::nullopt;
}

inline void print(const std::optional<Positions>& solution) {
  if (!solution) {
    std::printf("null");
    return;
  }
  for (std::size_t i = 0; i < solution->size(); ++i) {
    const double position = (*solution)[i];
    std::printf(i == 0 ? "[" : ",");
    std::isfinite(position) ? std::printf("%.17g", position) : std::printf("NaN");
  }
  std::printf("]");
}

// Solves each case the requested number of times after one untimed solve; the first run gives the solution, the minimum
// time [µs] counts.
inline void run(const Problem& problem, int runs, const Attempt& attempt) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  std::vector<double> times;
  search(problem, problem.cases.at(0), attempt);
  std::printf("{\"solutions\":[");
  for (const Case& one : problem.cases) {
    double smallest = std::numeric_limits<double>::infinity();
    for (int count = 0; count < runs; ++count) {
      const auto began = std::chrono::steady_clock::now();
      const auto solution = search(problem, one, attempt);
      smallest = std::min(smallest, Microseconds(std::chrono::steady_clock::now() - began).count());
      if (count == 0) {
        std::printf(times.empty() ? "" : ",");
        print(solution);
      }
    }
    times.push_back(smallest);
  }
  std::printf("],\"times_us\":[");
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::printf(i == 0 ? "%.3f" : ",%.3f", times[i]);
  }
  std::printf("]}\n");
}

// The main function of a peer: PROGRAM PROBLEM_FILE RUNS, or PROGRAM --version.
inline int serve(int count, char** arguments, const std::string& version, const Prepare& prepare) {
  try {
    if (count == 2 && std::string(arguments[1]) == "--version") {
      std::printf("%s\n", version.c_str());
      return 0;
    }
    if (count != 3) {
      throw std::runtime_error("usage: PROGRAM PROBLEM_FILE RUNS, or PROGRAM --version");
    }
    const Problem problem = read_problem(arguments[1]);
    run(problem, std::stoi(arguments[2]), prepare(problem));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << arguments[0] << ": " << error.what() << '\n';
    return 1;
  }
}

}  // namespace peer
