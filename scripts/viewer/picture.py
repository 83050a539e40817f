"""A picture of the scene as a download in the user's browser."""
import imageio.v3 as imageio
import numpy as np

RENDER_TIMEOUT = 10.0  # [s]
BACKGROUND = {False: 255.0, True: 20.0}  # by dark


def take_picture(client, dark, name):
    """For one of viser's threads, because the browser is slow."""
    camera = client.camera
    image = client.get_render(height=camera.image_height, width=camera.image_width, transport_format='png',
                              timeout=RENDER_TIMEOUT)
    opacity = image[..., 3:] / 255
    picture = (image[..., :3] * opacity + BACKGROUND[dark] * (1 - opacity)).round().astype(np.uint8)
    client.send_file_download(name, imageio.imwrite('<bytes>', picture, extension='.png'), save_immediately=True)
