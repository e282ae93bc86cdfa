// What JavaScript templates of PROTOs find: the modules wb*, console, and the collector of their output.
// Own writing after the function list of the Webots reference manual (procedural PROTO nodes).
(function () {
  'use strict';

  const MAX_MESSAGES = 100;
  const MAX_MESSAGE = 1000; // characters
  const START_OF_TIME = 1735689600000; // 2025-01-01: the same world must give the same scene each time

  // What the answer is made with, bound before a template runs: it may replace `JSON.stringify`, methods of
  // arrays, `Object.prototype.toJSON`... Below, only these and operators on plain strings and numbers are used.
  const method = Function.prototype.bind.bind(Function.prototype.call);
  const sliced = method(String.prototype.slice);
  const placeIn = method(String.prototype.indexOf);
  const applied = Reflect.apply;
  const quoted = JSON.stringify; // of strings: they have no toJSON that it would ask
  const textOf = String;
  const makeFunction = Function;
  const Problem = Error;

  let messages = '', messageCount = 0;
  function say(level, parts) {
    let text = '';
    for (let i = 0; i < parts.length; ++i)
      text += (i > 0 ? ' ' : '') + textOf(parts[i]);
    if (messageCount >= MAX_MESSAGES)
      return;
    messages += (messageCount > 0 ? ',' : '') + '["' + level + '",' + quoted(sliced(text, 0, MAX_MESSAGE)) + ']';
    messageCount += 1;
  }

  // random numbers: x' = (a x + c) mod 2^24, the generator that Webots documents
  const MODULUS = 16777216;
  let state = 0;
  function advance() {
    state = (1140671485 * state + 12820163) % MODULUS;
    return state;
  }
  const wbrandom = {
    seed: function (value) { state = value; },
    real: function (low, high) {
      if (low === undefined) { low = 0; high = 1; }
      if (high === undefined) { high = low; low = 0; }
      return low + advance() * (high - low) / (MODULUS - 1);
    },
    integer: function (low, high) {
      if (low === undefined) { low = 0; high = MODULUS - 1; }
      if (high === undefined) { high = low; low = 1; }
      return low + advance() % (1 + high - low);
    },
  };

  const has = function (value, keys) {
    return typeof value === 'object' && value !== null &&
      keys.every(function (key) { return Object.hasOwn(value, key); });
  };
  const wbutility = {
    assert: function (holds, message) { if (!holds) say('error', [message]); },
    error: function (message) { say('error', [message]); },
    info: function (message) { say('info', [message]); },
    deepCopy: function (value) { return JSON.parse(JSON.stringify(value)); },
    degreesToRadians: function (angle) { return angle * Math.PI / 180; },
    radiansToDegrees: function (angle) { return angle * 180 / Math.PI; },
    isScalar: function (value) { return typeof value === 'number'; },
    isVector2: function (value) { return has(value, ['x', 'y']); },
    isVector3: function (value) { return has(value, ['x', 'y', 'z']); },
    isAxisAngle: function (value) { return has(value, ['x', 'y', 'z', 'a']); },
    isQuaternion: function (value) { return has(value, ['w', 'x', 'y', 'z']); },
    isMatrix3: function (value) { return has(value, [0, 1, 2, 3, 4, 5, 6, 7, 8]); },
    isArrayOfPoints: function (points, dimension) {
      const check = dimension === 2 ? wbutility.isVector2 : wbutility.isVector3;
      return Array.isArray(points) && points.every(check);
    },
  };

  // vectors of both sizes: `keys` names their parts
  function vectors(keys) {
    const make = function (part) {
      return Object.fromEntries(keys.map(function (key) { return [key, part(key)]; }));
    };
    const self = {
      equal: function (a, b) { return keys.every(function (key) { return a[key] === b[key]; }); },
      add: function (a, b) { return make(function (key) { return a[key] + b[key]; }); },
      minus: function (a, b) { return make(function (key) { return a[key] - b[key]; }); },
      multiply: function (v, factor) { return make(function (key) { return v[key] * factor; }); },
      dot: function (a, b) { return keys.reduce(function (sum, key) { return sum + a[key] * b[key]; }, 0); },
      norm: function (v) { return Math.sqrt(self.dot(v, v)); },
      distance: function (a, b) { return self.norm(self.minus(a, b)); },
      normalize: function (v) {
        const length = self.norm(v);
        if (length === 0) {
          say('error', ['a vector of length 0 cannot be normalized']);
          return make(function () { return 0; });
        }
        return self.multiply(v, 1 / length);
      },
    };
    return self;
  }
  const wbvector2 = vectors(['x', 'y']);
  wbvector2.cross = function (a, b) { return a.x * b.y - a.y * b.x; };
  // from the x axis to the way from b to a (Lua templates, of worlds with y up, have it from the y axis)
  wbvector2.angle = function (a, b) { return Math.atan2(a.y - b.y, a.x - b.x); };
  // point common to the segments p1-p2 and p3-p4: p1 + s (p2 - p1) with 0 <= s, t <= 1
  wbvector2.intersection = function (p1, p2, p3, p4) {
    const d = wbvector2.minus(p2, p1), e = wbvector2.minus(p4, p3), w = wbvector2.minus(p3, p1);
    const area = wbvector2.cross(d, e);
    if (area === 0)
      return null;
    const s = wbvector2.cross(w, e) / area, t = wbvector2.cross(w, d) / area;
    return s < 0 || s > 1 || t < 0 || t > 1 ? null : wbvector2.add(p1, wbvector2.multiply(d, s));
  };
  const wbvector3 = vectors(['x', 'y', 'z']);
  wbvector3.cross = function (a, b) {
    return {x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x};
  };

  // rotations: axis and angle {x, y, z, a}, quaternions {w, x, y, z}, matrices of 9 numbers by rows
  const wbrotation = {
    equal: function (p, q) { return p.x === q.x && p.y === q.y && p.z === q.z && p.a === q.a; },
    isValid: function (r) { return r.x !== 0 || r.y !== 0 || r.z !== 0; },
    isIdentity: function (r) { return r.a === 0; },
    // these three change what they are given, and return it
    normalizeAngle: function (r) {
      const turns = Math.round(r.a / (2 * Math.PI));
      if (Math.abs(r.a) > Math.PI)
        r.a -= 2 * Math.PI * turns;
      return r;
    },
    normalizeAxis: function (r) {
      const axis = wbrotation.isValid(r) ? wbvector3.normalize(r) : {x: 0, y: 1, z: 0};
      return Object.assign(r, axis);
    },
    normalize: function (r) { return wbrotation.normalizeAngle(wbrotation.normalizeAxis(r)); },
    toQuaternion: function (rotation) {
      const r = wbrotation.normalize(rotation), s = Math.sin(r.a / 2);
      return {w: Math.cos(r.a / 2), x: r.x * s, y: r.y * s, z: r.z * s};
    },
    fromQuaternion: function (q) {
      const angle = 2 * Math.acos(Math.min(1, Math.max(-1, q.w)));
      if (angle < 0.0001)
        return {x: 0, y: 1, z: 0, a: 0};
      const axis = wbvector3.normalize({x: q.x, y: q.y, z: q.z});
      return {x: axis.x, y: axis.y, z: axis.z, a: angle};
    },
    toMatrix3: function (r) {
      const c = Math.cos(r.a), s = Math.sin(r.a), k = 1 - c;
      return [
        r.x * r.x * k + c, r.x * r.y * k - r.z * s, r.x * r.z * k + r.y * s,
        r.x * r.y * k + r.z * s, r.y * r.y * k + c, r.y * r.z * k - r.x * s,
        r.x * r.z * k - r.y * s, r.y * r.z * k + r.x * s, r.z * r.z * k + c,
      ];
    },
    fromMatrix3: function (m) {
      const cosine = (m[0] + m[4] + m[8] - 1) / 2;
      if (Math.abs(cosine) > 1)
        return {x: 1, y: 0, z: 0, a: 0};
      return {x: m[7] - m[5], y: m[2] - m[6], z: m[3] - m[1], a: Math.acos(cosine)};
    },
    // Hamilton product
    combine: function (first, second) {
      const p = wbrotation.toQuaternion(first), q = wbrotation.toQuaternion(second);
      const v = wbvector3.cross(p, q);
      return wbrotation.fromQuaternion({
        w: p.w * q.w - wbvector3.dot(p, q),
        x: p.w * q.x + q.w * p.x + v.x,
        y: p.w * q.y + q.w * p.y + v.y,
        z: p.w * q.z + q.w * p.z + v.z,
      });
    },
    rotateVector3ByMatrix3: function (m, v) {
      return {
        x: m[0] * v.x + m[1] * v.y + m[2] * v.z,
        y: m[3] * v.x + m[4] * v.y + m[5] * v.z,
        z: m[6] * v.x + m[7] * v.y + m[8] * v.z,
      };
    },
    rotateVector3ByRotation: function (r, v) {
      return wbrotation.rotateVector3ByMatrix3(wbrotation.toMatrix3(r), v);
    },
    rotateVector3ByQuaternion: function (q, v) {
      return wbrotation.rotateVector3ByRotation(wbrotation.fromQuaternion(q), v);
    },
  };

  // uniform cubic B-spline through the convex hull of four neighbours; ends are prolonged in line
  function spline(vector, keys, points, subdivision, first) {
    const count = points.length;
    const ahead = function (a, b) { return vector.add(a, vector.minus(a, b)); };
    const after1 = ahead(points[count - 1], points[count - 2]);
    const after2 = ahead(after1, points[count - 1]);
    const before1 = ahead(points[0], points[1]);
    const before2 = ahead(before1, points[0]);
    const all = [before2, before1].concat(points, [after1, after2]);
    const curve = [points[0]];
    for (let i = first; i <= count; ++i) {
      for (let j = 1; j <= subdivision; ++j) {
        const t = j / subdivision, point = {};
        for (const key of keys) {
          const a = all[i - 1][key], b = all[i][key], c = all[i + 1][key], d = all[i + 2][key];
          point[key] = ((d - a + 3 * (b - c)) * t * t * t + 3 * (a - 2 * b + c) * t * t +
            3 * (c - a) * t + a + 4 * b + c) / 6;
        }
        curve.push(point);
      }
    }
    return curve;
  }
  const wbgeometry = {
    circle: function (radius, count, center, shift) {
      const points = [];
      for (let i = 0; i <= count; ++i) {
        const angle = 2 * Math.PI * i / count + shift;
        points.push({x: radius * Math.cos(angle) + center.x, y: radius * Math.sin(angle) + center.y});
      }
      return points;
    },
    // even-odd rule
    isPoint2InPolygon: function (p, polygon) {
      let inside = false;
      for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
        const a = polygon[i], b = polygon[j];
        if ((a.y >= p.y) !== (b.y >= p.y) && p.x <= (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x)
          inside = !inside;
      }
      return polygon.length >= 3 && inside;
    },
    findClosestPoint2InArray: function (reference, points) {
      let best = reference, least = Infinity;
      for (const point of points) {
        const distance = wbvector2.distance(reference, point);
        if (distance < least) { best = point; least = distance; }
      }
      return best;
    },
    // sign of the shoelace sum as the manual's function gives it
    isPoint2ArrayClockwise: function (points) {
      let sum = 0;
      for (let i = 0; i < points.length; ++i) {
        const a = points[i], b = points[(i + 1) % points.length];
        sum += (b.x - a.x) * (b.y + a.y);
      }
      return sum < 0;
    },
    bSpline2: function (points, subdivision) { return spline(wbvector2, ['x', 'y'], points, subdivision, 1); },
    bSpline3: function (points, subdivision) {
      return spline(wbvector3, ['x', 'y', 'z'], points, subdivision, 2);
    },
  };

  // templates have no files: nothing exists, nothing can be written
  const wbfile = {
    fileExists: function () { return false; },
    readTextFile: function (path) { throw new Error('templates may not read files: ' + path); },
    writeTextFile: function (path) { throw new Error('templates may not write files: ' + path); },
    getPathWithoutFilename: function (path) { return path.replace(/\\/g, '/').replace(/\/[^/]*$/, ''); },
  };
  const wbcore = {
    deepcopy: wbutility.deepCopy,
    tablelength: function (table) { return table.length; },
  };
  const wbmath = {round: function (value) { return Math.floor(value + 0.5); }};
  const wbenv = {get: function () { return undefined; }};
  const modules = {
    wbrandom, wbutility, wbvector2, wbvector3, wbrotation, wbgeometry, wbfile, wbcore, wbmath, wbenv,
  };

  // NULL nodes are undefined for templates
  function withoutNulls(value) {
    if (value === null)
      return undefined;
    if (typeof value === 'object') {
      for (const key of Object.keys(value))
        value[key] = withoutNulls(value[key]);
    }
    return value;
  }

  function written(value) {
    if (value === true)
      return 'TRUE';
    return value === false ? 'FALSE' : textOf(value);
  }

  // Runs a template and returns the answer as JSON: [pieces, texts, messages]. `pieces` names what came out, in
  // order: k for the k-th piece of plain text, -k-1 for a value in the place of the k-th piece; `texts` are the
  // values, each followed by a zero character. `sizes` are the lengths of the pieces of plain text.
  globalThis.__run = function (code, fields, context, sizes, maxSize, pieceSize) {
    let pieces = '', texts = '', size = 0;
    const count = function (more) {
      size += more + pieceSize;
      if (size > maxSize)
        throw new Problem('it writes more than ' + maxSize / 1e6 + ' MB');
    };
    const literal = function (index) {
      index = index >>> 0;
      count(index < sizes.length ? sizes[index] : 0);
      pieces += index + ' ';
    };
    const put = function (index, value) {
      index = index >>> 0;
      const text = written(value);
      if (placeIn(text, '\0') >= 0)
        throw new Problem('it writes a zero character');
      count(text.length);
      pieces += (-1 - index) + ' ';
      texts += text + '\0';
    };
    delete globalThis.__run;
    // made of a text, so that no brace in it can end the function
    const template = makeFunction('fields', 'context', '__lit', '__put', '__modules', code);
    applied(template, undefined, [withoutNulls(fields), context, literal, put, modules]);
    return '[' + quoted(pieces) + ',' + quoted(texts) + ',[' + messages + ']]';
  };

  globalThis.wbfile = wbfile;
  const info = function (...parts) { say('info', parts); };
  const warn = function (...parts) { say('warning', parts); };
  const error = function (...parts) { say('error', parts); };
  globalThis.stdout = {push: info};
  globalThis.stderr = {push: error};
  globalThis.console = {log: info, info: info, debug: info, warn: warn, error: error};

  // nothing that holds memory which the limit does not count, that waits, or that differs between runs
  for (const name of ['ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Atomics', 'WebAssembly', 'Int8Array',
    'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
    'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array', 'eval', 'Function',
    'Temporal', 'setTimeout', 'clearTimeout', '__timer_manager', 'FinalizationRegistry', 'WeakRef']) {
    if (!Reflect.deleteProperty(globalThis, name))
      globalThis[name] = undefined;
  }
  let chance = 1;
  Math.random = function () {
    chance = (1140671485 * chance + 12820163) % MODULUS;
    return chance / MODULUS;
  };
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...parts) { super(...(parts.length ? parts : [START_OF_TIME])); }
    static now() { return START_OF_TIME; }
  };
})();
