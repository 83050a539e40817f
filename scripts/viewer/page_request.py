"""Requests of page scripts to this program's web server."""
from urllib.parse import urlsplit


def own_query(request, path):
    """The query of a request for a path by a page of this server; None for any other request."""
    url = urlsplit(request.path)
    is_own = url.path == path and request.headers.get('Sec-Fetch-Site') == 'same-origin'
    return url.query if is_own else None
