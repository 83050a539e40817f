// KDL's ChainIkSolverPos_NR_JL, restarted from random configurations as in MoveIt's KDL plugin.
#include <algorithm>
#include <memory>

#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/config.h>

#include "peer.hpp"

namespace {

constexpr unsigned int iterations = 100;  // of one attempt: KDL's own default
constexpr double unlimited = 1e9;         // [rad] represents no limit

KDL::Vector vector_from(const double* xyz) { return {xyz[0], xyz[1], xyz[2]}; }

// The origin of a URDF joint precedes its motion; KDL's segments store it as the joint's own origin and axis.
KDL::Chain chain_from(const peer::Problem& problem) {
  KDL::Chain chain;
  for (const peer::Segment& segment : problem.segments) {
    const double* turn = segment.roll_pitch_yaw;
    const KDL::Frame origin(KDL::Rotation::RPY(turn[0], turn[1], turn[2]), vector_from(segment.origin));
    if (!segment.moves()) {
      chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::Fixed), origin));
      continue;
    }
    const auto kind = segment.turns() ? KDL::Joint::RotAxis : KDL::Joint::TransAxis;
    chain.addSegment(KDL::Segment(KDL::Joint("", origin.p, origin.M * vector_from(segment.axis), kind), origin));
  }
  return chain;
}

// The parts of KDL's solver; they refer to each other and must not be moved.
struct Solver {
  explicit Solver(const peer::Problem& problem)
      : chain(chain_from(problem)),
        lower(chain.getNrOfJoints()),
        upper(chain.getNrOfJoints()),
        start(chain.getNrOfJoints()),
        found(chain.getNrOfJoints()),
        forward(chain),
        velocity(chain),
        // KDL compares each of the six components; the check of the answers uses the norms of both vectors.
        position(chain, limits(problem, lower, -unlimited, &peer::Segment::lower),
                 limits(problem, upper, unlimited, &peer::Segment::upper), forward, velocity, iterations,
                 problem.tolerance / std::sqrt(3.0)) {}

  static const KDL::JntArray& limits(const peer::Problem& problem, KDL::JntArray& array, double without,
                                     double peer::Segment::* limit) {
    for (std::size_t i = 0; i < problem.joints.size(); ++i) {
      array(i) = problem.joints[i].has_limits() ? problem.joints[i].*limit : without;
    }
    return array;
  }

  std::optional<peer::Positions> attempt(const peer::Case& one, const peer::Positions& from) {
    const double* q = one.quaternion;
    const KDL::Frame target(KDL::Rotation::Quaternion(q[0], q[1], q[2], q[3]), vector_from(one.position));
    std::copy(from.begin(), from.end(), start.data.data());
    if (position.CartToJnt(start, target, found) < 0) {
      return std::nullopt;
    }
    return peer::Positions(found.data.data(), found.data.data() + found.rows());
  }

  KDL::Chain chain;
  KDL::JntArray lower, upper, start, found;
  KDL::ChainFkSolverPos_recursive forward;
  KDL::ChainIkSolverVel_pinv velocity;
  KDL::ChainIkSolverPos_NR_JL position;
};

}  // namespace

int main(int count, char** arguments) {
  return peer::serve(count, arguments, KDL_VERSION_STRING, [](const peer::Problem& problem) -> peer::Attempt {
    const auto solver = std::make_shared<Solver>(problem);
    return [solver](const peer::Case& one, const peer::Positions& start, const peer::Clock&) {
      return solver->attempt(one, start);
    };
  });
}
