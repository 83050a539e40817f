"""A client of the handles: speaks the protocol of interactive markers as RViz does, and simulates drags of a user."""
import time
import uuid

from rclpy.qos import QoSProfile
from visualization_msgs.msg import InteractiveMarkerFeedback as Feedback
from visualization_msgs.msg import InteractiveMarkerUpdate, Marker
from visualization_msgs.srv import GetInteractiveMarkers

from client import pose_from, pose_message

FRAME_TIME = 1 / 60  # [s] between two rendered frames, and so between two messages of a drag
ALIVE = 0.25  # [s] between two keep-alive messages of a hand at rest
SERVICE = 'handle/get_interactive_markers'


class HandleClient:
    """State of the handles in one RViz, received through the rclpy client `client`."""

    def __init__(self, client, frame='', listens=True):
        self.client, self.frame = client, frame
        self.id = f'rviz{uuid.uuid4().hex}'
        self.markers = None  # name: InteractiveMarker, after the response of the service
        self.updates = []  # all updates received
        self.waiting = []  # updates that must follow the response
        self.last = None
        self.resets = 0
        self.to_lose = 0  # updates to drop
        self.request = self.asked_at = None
        self.number = None  # sequence number of the last update before the response
        self.signs_of_life = None
        if listens:
            client.node.create_subscription(InteractiveMarkerUpdate, f'{client.name}/handle/update', self.receive,
                                            QoSProfile(depth=100))
        self.service = client.node.create_client(GetInteractiveMarkers, f'{client.name}/{SERVICE}')
        # A separate publisher, so that several clients of a test are as many publishers.
        self.feedback = client.node.create_publisher(Feedback, f'{client.name}/handle/feedback', QoSProfile(depth=100))

    # Server messages

    def connect(self):
        """Requests all markers, as soon as there is a server."""
        self.client.wait_for(self.service.service_is_ready, 'the service of the handles')
        self.client.wait_until_heard(self.feedback)
        self.client.wait_for(self.is_connected, 'the handles')
        return self

    def is_connected(self):
        # A server may respond before it has discovered the client's reader: as RViz does, ask again after a second.
        if self.markers is None and (self.request is None or time.monotonic() > self.asked_at + 1.0):
            self.ask()
        return self.markers is not None

    def ask(self):
        self.asked_at = time.monotonic()
        self.request = self.service.call_async(GetInteractiveMarkers.Request())
        self.request.add_done_callback(self.begin)

    def begin(self, request):
        if request is not self.request:
            return  # outdated
        answer = request.result()
        newer = [update for update in self.waiting if update.seq_num > answer.sequence_number]
        if newer and newer[0].seq_num != answer.sequence_number + 1:
            # One was sent before the server had discovered this client.
            self.forget()
            return self.ask()
        self.number = answer.sequence_number
        self.last = newer[-1].seq_num if newer else self.number
        self.markers = {marker.name: marker for marker in answer.markers}
        for update in newer:
            self.apply(update)
        self.waiting = []

    def forget(self):
        self.markers, self.waiting, self.last, self.request = None, [], None, None

    def reset(self):
        self.forget()
        self.resets += 1

    def receive(self, update):
        if self.to_lose:
            self.to_lose -= 1
            return
        assert update.type == InteractiveMarkerUpdate.UPDATE
        self.updates.append(update)
        if self.markers is not None and update.seq_num <= self.number:
            return  # included in the response
        if self.last is not None and update.seq_num != self.last + 1:
            self.reset()
            self.ask()
            return
        self.last = update.seq_num
        if self.markers is None:
            self.waiting.append(update)
        else:
            self.apply(update)

    def apply(self, update):
        for marker in update.markers:
            self.markers[marker.name] = marker
        for moved in update.poses:
            marker = self.markers[moved.name]
            marker.header, marker.pose = moved.header, moved.pose
        for name in update.erases:
            del self.markers[name]

    def marker(self, name='tool0'):
        return (self.markers or {})[name]

    def pose(self, name='tool0'):
        """The displayed pose of the handle, in the base link's frame."""
        return pose_from(self.marker(name).pose)

    def drawn(self, kind, name='tool0'):
        """The marker of this kind in the always visible control of the handle, or None."""
        drawn = [marker for control in self.marker(name).controls if control.always_visible for marker in control.markers]
        return next((marker for marker in drawn if marker.type == kind), None)

    def text(self, name='tool0'):
        marker = self.drawn(Marker.TEXT_VIEW_FACING, name)
        return marker.text.replace('\n', ' ') if marker else ''

    def colour(self, name='tool0'):
        colour = self.drawn(Marker.SPHERE, name).color
        return colour.r, colour.g, colour.b

    def menu(self, name='tool0'):
        """The ids of the entries by title, and the titles of the checked entries."""
        entries = self.marker(name).menu_entries
        titles = {entry.title.removeprefix('[x] ').removeprefix('[ ] '): entry.id for entry in entries}
        return titles, {entry.title[4:] for entry in entries if entry.title.startswith('[x]')}

    # User actions

    def send(self, event, name='tool0', pose=None, **fields):
        """Sends one feedback message; returns its stamp."""
        message = Feedback(client_id=self.id, marker_name=name, event_type=event, **fields)
        if pose is None:
            message.pose = self.marker(name).pose
        else:
            message.pose = pose_message(pose).pose if hasattr(pose, 'shape') else pose
        message.header.frame_id = self.frame
        message.header.stamp = self.client.new_stamp()
        self.feedback.publish(message)
        return message.header.stamp

    def press(self, name='tool0'):
        self.send(Feedback.POSE_UPDATE, name)
        self.send(Feedback.MOUSE_DOWN, name)
        self.signs_of_life = self.client.node.create_timer(ALIVE, lambda: self.markers and self.send(Feedback.KEEP_ALIVE, name))

    def move(self, pose, name='tool0'):
        """Drags the handle to a pose; returns the stamp of the message."""
        return self.send(Feedback.POSE_UPDATE, name, pose, control_name='move x')

    def vanish(self):
        """Stops sending keep-alive messages."""
        if self.signs_of_life:
            self.client.node.destroy_timer(self.signs_of_life)
            self.signs_of_life = None

    def release(self, pose, name='tool0'):
        """Releases the handle; returns the stamp of the last target."""
        self.vanish()
        stamp = self.send(Feedback.POSE_UPDATE, name, pose)
        self.send(Feedback.MOUSE_UP, name, pose)
        return stamp

    def drag(self, poses, name='tool0'):
        """A whole drag along poses, one per rendered frame; returns the stamps of all its targets."""
        self.press(name)
        stamps = []
        for pose in poses:
            stamps.append(self.move(pose, name))
            self.client.pace(FRAME_TIME)
        stamps.append(self.release(poses[-1], name))
        return stamps

    def choose(self, title, name='tool0'):
        """Selects an entry of the menu."""
        titles, _ = self.menu(name)
        return self.send(Feedback.MENU_SELECT, name, menu_entry_id=titles[title])
