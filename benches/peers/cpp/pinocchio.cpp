// Pinocchio's example of inverse kinematics: closed-loop steps by the damped pseudoinverse on the logarithm of the pose
// error. The example has neither limits nor restarts, so solutions outside the limits are rejected here and followed by
// an attempt from a random configuration.

// Normally defined by Pinocchio's CMake files: Boost's default bounds are below the number of its joint types.
#define BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
#define BOOST_MPL_LIMIT_LIST_SIZE 30
#define BOOST_MPL_LIMIT_VECTOR_SIZE 30

#include <memory>

#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/config.hpp>
#include <pinocchio/math.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/spatial.hpp>

#include "peer.hpp"

namespace {

// The constants of the example.
constexpr int iterations = 1000;
constexpr double step = 0.1;
constexpr double damping = 1e-12;

constexpr double turn = 2 * M_PI;

pinocchio::JointModel joint_about_z(const peer::Segment& segment) {
  if (segment.kind == "slide") {
    return pinocchio::JointModelPZ();
  }
  if (segment.kind == "circle") {
    return pinocchio::JointModelRUBZ();
  }
  return pinocchio::JointModelRZ();
}

// The chain, with joint frames rotated so that each axis is z, for which Pinocchio has its fastest joints.
pinocchio::Model model_from(const peer::Problem& problem) {
  pinocchio::Model model;
  pinocchio::JointIndex parent = 0;
  pinocchio::SE3 way = pinocchio::SE3::Identity();  // from the parent joint
  for (const peer::Segment& segment : problem.segments) {
    const Eigen::Map<const Eigen::Vector3d> origin(segment.origin), axis(segment.axis);
    const double* angles = segment.roll_pitch_yaw;
    way = way * pinocchio::SE3(pinocchio::rpy::rpyToMatrix(angles[0], angles[1], angles[2]), origin);
    if (segment.moves()) {
      const auto turned = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), axis);
      const pinocchio::SE3 to_axis(turned.toRotationMatrix(), Eigen::Vector3d::Zero());
      parent = model.addJoint(parent, joint_about_z(segment), way * to_axis, std::to_string(model.njoints));
      way = to_axis.inverse();
    }
  }
  model.addFrame(pinocchio::Frame("tip", parent, way, pinocchio::OP_FRAME));
  return model;
}

class Solver {
 public:
  explicit Solver(const peer::Problem& problem)
      : problem_(problem), model_(model_from(problem)), data_(model_), tip_(model_.getFrameId("tip")) {
    jacobian_.setZero(6, model_.nv);
    configuration_.setZero(model_.nq);
    velocity_.setZero(model_.nv);
  }

  std::optional<peer::Positions> attempt(const peer::Case& one, const peer::Positions& start,
                                         const peer::Clock& late) {
    const Eigen::Map<const Eigen::Quaterniond> rotation(one.quaternion);
    const pinocchio::SE3 target(rotation.toRotationMatrix(), Eigen::Map<const Eigen::Vector3d>(one.position));
    set_configuration(start);
    for (int count = 0; count < iterations && !late(); ++count) {
      pinocchio::framesForwardKinematics(model_, data_, configuration_);
      const pinocchio::SE3 away = data_.oMf[tip_].actInv(target);
      const pinocchio::Motion::Vector6 error = pinocchio::log6(away).toVector();
      if (error.norm() < problem_.tolerance) {
        return inside();
      }
      advance(away, error);
    }
    return std::nullopt;
  }

 private:
  void advance(const pinocchio::SE3& away, const pinocchio::Motion::Vector6& error) {
    jacobian_.setZero();
    pinocchio::computeFrameJacobian(model_, data_, configuration_, tip_, pinocchio::LOCAL, jacobian_);
    pinocchio::Data::Matrix6 logarithm;
    pinocchio::Jlog6(away.inverse(), logarithm);
    jacobian_ = (-logarithm * jacobian_).eval();
    pinocchio::Data::Matrix6 square = jacobian_ * jacobian_.transpose();
    square.diagonal().array() += damping;
    velocity_.noalias() = -jacobian_.transpose() * square.ldlt().solve(error);
    configuration_ = pinocchio::integrate(model_, configuration_, velocity_ * step);
  }

  // Pinocchio represents the angle of a joint without limits by cosine and sine.
  void set_configuration(const peer::Positions& positions) {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const auto& joint = model_.joints[i + 1];
      if (joint.nq() == 2) {
        configuration_.segment<2>(joint.idx_q()) << std::cos(positions[i]), std::sin(positions[i]);
      } else {
        configuration_[joint.idx_q()] = positions[i];
      }
    }
  }

  // The positions, wrapped into the limits; none if that is impossible.
  std::optional<peer::Positions> inside() const {
    peer::Positions positions;
    for (std::size_t i = 0; i < problem_.joints.size(); ++i) {
      const peer::Segment& limits = problem_.joints[i];
      const auto& joint = model_.joints[i + 1];
      if (joint.nq() == 2) {
        positions.push_back(std::atan2(configuration_[joint.idx_q() + 1], configuration_[joint.idx_q()]));
        continue;
      }
      double position = configuration_[joint.idx_q()];
      if (limits.turns()) {
        position -= turn * std::floor((position - limits.lower) / turn);
      }
      if (position < limits.lower || position > limits.upper) {
        return std::nullopt;
      }
      positions.push_back(position);
    }
    return positions;
  }

  const peer::Problem& problem_;
  pinocchio::Model model_;
  pinocchio::Data data_;
  pinocchio::FrameIndex tip_;
  pinocchio::Data::Matrix6x jacobian_;
  Eigen::VectorXd configuration_, velocity_;
};

}  // namespace

int main(int count, char** arguments) {
  return peer::serve(count, arguments, PINOCCHIO_VERSION, [](const peer::Problem& problem) -> peer::Attempt {
    const auto solver = std::make_shared<Solver>(problem);
    return [solver](const peer::Case& one, const peer::Positions& start, const peer::Clock& late) {
      return solver->attempt(one, start, late);
    };
  });
}
