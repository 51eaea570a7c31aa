// Compressed base64 text back into bytes, arrays and Plotly.

async function gunzip(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// Replace every {shape, gzip} below `value` by a Float32Array with a `shape`.
async function unpack(value) {
  if (value === null || typeof value !== "object") return value;
  if (typeof value.gzip === "string") {
    const array = new Float32Array(await gunzip(value.gzip));
    array.shape = value.shape;
    return array;
  }
  const keys = Object.keys(value);
  const parts = await Promise.all(keys.map((key) => unpack(value[key])));
  keys.forEach((key, i) => { value[key] = parts[i]; });
  return value;
}

async function loadPlotly() {
  const code = new TextDecoder().decode(await gunzip(document.getElementById("plotly").textContent));
  const script = document.createElement("script");
  script.textContent = code;
  document.head.append(script);
}

// Row `index` of an array whose last axis is the frame.
function row(array, index) {
  const n = array.shape[array.shape.length - 1];
  return array.subarray(index * n, (index + 1) * n);
}

// Vectors (3, F) along a direction: one number a frame.
function along(vectors, direction) {
  const n = vectors.shape[1], out = new Float32Array(n);
  for (let f = 0; f < n; f++) {
    out[f] = direction[0] * vectors[f] + direction[1] * vectors[n + f] + direction[2] * vectors[2 * n + f];
  }
  return out;
}

function lengths(vectors) {
  const n = vectors.shape[1], out = new Float32Array(n);
  for (let f = 0; f < n; f++) out[f] = Math.hypot(vectors[f], vectors[n + f], vectors[2 * n + f]);
  return out;
}

const DARK = matchMedia("(prefers-color-scheme: dark)");

// Colours of the page, light or dark, as its style sheet has them.
const COLOURS = { single: "#56b4e9", double: "#e69f00", multi: "#cc79a7", flight: "#f0e442" };
const THEMED = ["ink", "soft", "hair", "edge", "paper", "left", "right", "middle", "plates", "force", "lit", "root", "accent", "sky", "haze", "grid", "shadow", "halo", "ghost"];
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of THEMED) COLOURS[name] = style.getPropertyValue(`--${name}`).trim();
}
readTheme();
const colour = (side) => COLOURS[side] || COLOURS.middle;
const faint = (hex, alpha) => `rgba(${[1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)).join(",")},${alpha})`;
