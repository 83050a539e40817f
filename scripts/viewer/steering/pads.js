// Pads and keys for steering the tip. While one of them is held, the page sends their deflection repeatedly; the
// receiver stops the motion after a pause. The markup is pads.html.
if (!window.urdfIkPads) {
  window.urdfIkPads = true;
  const INTERVAL = 50; // [ms] between two messages
  const DEAD_ZONE = 0.08; // dead zone of a pad, relative to its half width
  const page = Math.random().toString(36).slice(2);
  // Deflections of the keys: a pad (0 moves, 1 turns), an axis (0 right, 1 up, 2 of the bar), a direction.
  const KEYS = {
    KeyD: [0, 0, 1], KeyA: [0, 0, -1], KeyW: [0, 1, 1], KeyS: [0, 1, -1], KeyR: [0, 2, 1], KeyF: [0, 2, -1],
    KeyL: [1, 0, 1], KeyJ: [1, 0, -1], KeyI: [1, 1, 1], KeyK: [1, 1, -1], KeyU: [1, 2, 1], KeyO: [1, 2, -1],
  };
  // The same for the focused pad.
  const ARROWS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, 1], ArrowDown: [1, -1], PageUp: [2, 1], PageDown: [2, -1] };
  const pointers = new Map(); // area and deflection by pointer
  const keys = new Map(); // pad, axis and direction by key
  let number = 0;
  let timer = null;

  const clamp = value => Math.max(-1, Math.min(1, value));
  const isHeld = () => pointers.size + keys.size > 0;

  function deflection() {
    const sum = [0, 0, 0, 0, 0, 0];
    for (const { pad, right, up, bar } of pointers.values()) [right, up, bar].forEach((by, axis) => { sum[3 * pad + axis] += by; });
    for (const [pad, axis, direction] of keys.values()) sum[3 * pad + axis] += direction;
    return sum.map(clamp);
  }

  function show(now) {
    for (const [pad, stick] of document.querySelectorAll('.ik-stick').entries()) {
      const [right, up, bar] = now.slice(3 * pad, 3 * pad + 3);
      const place = (knob, x, y) => { knob.style.left = `${50 + 50 * x}%`; knob.style.top = `${50 - 50 * y}%`; };
      place(stick.querySelector('.ik-pad i'), right, up);
      place(stick.querySelector('.ik-bar i'), 0, bar);
      stick.classList.toggle('ik-active', right !== 0 || up !== 0 || bar !== 0);
    }
  }

  // Releases of keys and pointers are sent at once, also when the page closes.
  function send() {
    const held = isHeld() ? 1 : 0;
    number += 1;
    const by = deflection().map(value => value.toFixed(3)).join(',');
    const client = window.urdfIkClient ?? -1;
    fetch(`/steer?page=${page}&client=${client}&number=${number}&held=${held}&by=${by}`, { keepalive: true }).catch(() => {});
  }

  function changed() {
    show(deflection());
    if (isHeld() && timer === null) {
      timer = setInterval(send, INTERVAL);
      send();
    } else if (!isHeld() && timer !== null) {
      clearInterval(timer);
      timer = null;
      send();
    }
  }

  function release() {
    pointers.clear();
    keys.clear();
    changed();
  }

  function deflect(event) {
    const { area } = pointers.get(event.pointerId);
    const box = area.getBoundingClientRect();
    const across = (place, from, size) => {
      const by = clamp(2 * (place - from) / size - 1);
      return Math.abs(by) < DEAD_ZONE ? 0 : by;
    };
    const up = -across(event.clientY, box.top, box.height);
    const isBar = area.classList.contains('ik-bar');
    const right = isBar ? 0 : across(event.clientX, box.left, box.width);
    const pad = Number(area.closest('.ik-stick').dataset.pad);
    pointers.set(event.pointerId, { area, pad, right, up: isBar ? 0 : up, bar: isBar ? up : 0 });
    changed();
  }

  document.addEventListener('pointerdown', event => {
    const area = event.target.closest?.('.ik-area');
    if (!area || event.button !== 0) return;
    area.setPointerCapture(event.pointerId);
    area.closest('.ik-stick').focus({ preventScroll: true });
    pointers.set(event.pointerId, { area });
    event.preventDefault();
    deflect(event);
  });
  document.addEventListener('pointermove', event => { if (pointers.has(event.pointerId)) deflect(event); });
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) {
    document.addEventListener(end, event => { if (pointers.delete(event.pointerId)) changed(); });
  }

  // Before the camera keys of the scene.
  window.addEventListener('keydown', event => {
    const stick = event.target.closest?.('.ik-stick');
    if (!stick || event.ctrlKey || event.altKey || event.metaKey) return;
    const arrow = ARROWS[event.code];
    const key = KEYS[event.code] ?? (arrow && [Number(stick.dataset.pad), ...arrow]);
    if (!key) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) {
      keys.set(event.code, key);
      changed();
    }
  }, true);
  window.addEventListener('keyup', event => { if (keys.delete(event.code)) changed(); }, true);

  // Nothing is held without visibility or focus.
  document.addEventListener('focusout', event => { if (event.target.closest?.('.ik-stick') && keys.size) { keys.clear(); changed(); } });
  document.addEventListener('visibilitychange', () => { if (document.hidden) release(); });
  window.addEventListener('blur', release);
  window.addEventListener('pagehide', release);
}
