-- What Lua templates of old PROTOs find: a safe part of the standard library, the modules wb*, and the
-- collector of their output. Own writing after the Webots reference manual. Returns the function
-- run(script, fields, context, sizes, max_size, piece_size, name, draw), whose results are the pieces (k for the
-- k-th piece of plain text, -k-1 for a value in the place of the k-th piece), the values, each followed by a zero
-- character, and the messages. `sizes` are the lengths of the pieces of plain text, `name` is a file name of its
-- own for what the template draws, `draw` does what functions of lua-gd do.

local MAX_MESSAGES = 100
local START_OF_TIME = 1735689600 -- 2025-01-01: the same world must give the same scene each time

local load_text = load
local messages = {}
local function say(level, ...)
  if #messages < MAX_MESSAGES then
    local parts = {}
    for i = 1, select('#', ...) do parts[i] = tostring((select(i, ...))) end
    messages[#messages + 1] = {level, string.sub(table.concat(parts, '\t'), 1, 1000)}
  end
end

local modules = {}

-- random numbers: x' = (a x + c) mod 2^24, the generator that Webots documents
local wbrandom, state, MODULUS = {}, 0, 2 ^ 24
local function advance()
  state = (1140671485 * state + 12820163) % MODULUS
  return state
end
function wbrandom.seed(value) state = value end
function wbrandom.real(low, high)
  if low == nil then low, high = 0, 1 end
  if high == nil then low, high = 0, low end
  return low + advance() * (high - low) / (MODULUS - 1)
end
function wbrandom.integer(low, high)
  if low == nil then low, high = 0, MODULUS - 1 end
  if high == nil then low, high = 1, low end
  return low + advance() % (1 + high - low)
end
modules.wbrandom = wbrandom

local wbcore = {}
function wbcore.deepcopy(value)
  if type(value) ~= 'table' then return value end
  local copy = {}
  for key, item in pairs(value) do copy[wbcore.deepcopy(key)] = wbcore.deepcopy(item) end
  return setmetatable(copy, getmetatable(value))
end
function wbcore.tablelength(list)
  local count = 0
  for _ in ipairs(list) do count = count + 1 end
  return count
end
modules.wbcore = wbcore
modules.wbmath = {round = function(value) return math.floor(value + 0.5) end}
modules.wblimits = {maxdouble = 2 ^ 53, mindouble = -2 ^ 53}

local wbstring = {}
function wbstring.split(text, pattern)
  local parts, from = {}, 1
  while true do
    local first, last = string.find(text, pattern, from)
    if not first or last < first then break end
    if first > 1 then parts[#parts + 1] = string.sub(text, from, first - 1) end
    from = last + 1
  end
  if from <= #text then parts[#parts + 1] = string.sub(text, from) end
  return parts
end
modules.wbstring = wbstring

modules.wbfile = {
  getpathwithoutfilename = function(path)
    return (string.gsub(string.gsub(path, '\\', '/'), '/[^/]*$', ''))
  end,
}

-- vectors of both sizes: `keys` names their parts
local function vectors(keys)
  local M = {}
  local function make(part)
    local v = {}
    for _, key in ipairs(keys) do v[key] = part(key) end
    return v
  end
  function M.equal(a, b)
    for _, key in ipairs(keys) do
      if a[key] ~= b[key] then return false end
    end
    return true
  end
  function M.add(a, b) return make(function(key) return a[key] + b[key] end) end
  function M.minus(a, b) return make(function(key) return a[key] - b[key] end) end
  function M.multiply(v, factor) return make(function(key) return v[key] * factor end) end
  function M.dot(a, b)
    local sum = 0
    for _, key in ipairs(keys) do sum = sum + a[key] * b[key] end
    return sum
  end
  function M.norm(v) return math.sqrt(M.dot(v, v)) end
  function M.distance(a, b) return M.norm(M.minus(a, b)) end
  function M.normalize(v)
    local length = M.norm(v)
    if length == 0 then error('a vector of length 0 cannot be normalized', 2) end
    return M.multiply(v, 1 / length)
  end
  return M
end

local atan2 = math.atan2 or math.atan
local wbvector2 = vectors({'x', 'y'})
function wbvector2.cross(a, b) return a.x * b.y - a.y * b.x end
function wbvector2.atan2(v) return atan2(v.x, v.y) end
function wbvector2.angle(a, b) return wbvector2.atan2(wbvector2.minus(a, b)) end
-- point common to the segments p1-p2 and p3-p4: p1 + s (p2 - p1) with 0 <= s, t <= 1
function wbvector2.intersection(p1, p2, p3, p4)
  local d, e, w = wbvector2.minus(p2, p1), wbvector2.minus(p4, p3), wbvector2.minus(p3, p1)
  local area = wbvector2.cross(d, e)
  if area == 0 then return nil end
  local s, t = wbvector2.cross(w, e) / area, wbvector2.cross(w, d) / area
  if s < 0 or s > 1 or t < 0 or t > 1 then return nil end
  return wbvector2.add(p1, wbvector2.multiply(d, s))
end
modules.wbvector2 = wbvector2
local wbvector3 = vectors({'x', 'y', 'z'})
function wbvector3.cross(a, b)
  return {x = a.y * b.z - a.z * b.y, y = a.z * b.x - a.x * b.z, z = a.x * b.y - a.y * b.x}
end
modules.wbvector3 = wbvector3

-- rotations: axis and angle {x, y, z, a}, quaternions {w, x, y, z}, matrices of 9 numbers by rows
local R = {}
function R.equal(p, q) return p.x == q.x and p.y == q.y and p.z == q.z and p.a == q.a end
function R.isvalid(r) return r.x ~= 0 or r.y ~= 0 or r.z ~= 0 end
function R.isidentity(r) return r.a == 0 end
function R.normalizeangle(r)
  if math.abs(r.a) > math.pi then r.a = r.a - 2 * math.pi * math.floor(r.a / (2 * math.pi) + 0.5) end
end
function R.normalizeaxis(r)
  local axis = R.isvalid(r) and wbvector3.normalize(r) or {x = 0, y = 1, z = 0}
  r.x, r.y, r.z = axis.x, axis.y, axis.z
end
function R.normalize(r)
  R.normalizeaxis(r)
  R.normalizeangle(r)
  return r
end
function R.toquaternion(r)
  R.normalize(r)
  local s = math.sin(r.a / 2)
  return {w = math.cos(r.a / 2), x = r.x * s, y = r.y * s, z = r.z * s}
end
function R.fromquaternion(q)
  local angle = 2 * math.acos(math.min(1, math.max(-1, q.w)))
  if angle < 0.0001 then return {x = 0, y = 1, z = 0, a = 0} end
  local r = wbvector3.normalize(q)
  r.a = angle
  return r
end
function R.tomatrix3(r)
  local c, s = math.cos(r.a), math.sin(r.a)
  local k = 1 - c
  return {
    r.x * r.x * k + c, r.x * r.y * k - r.z * s, r.x * r.z * k + r.y * s,
    r.x * r.y * k + r.z * s, r.y * r.y * k + c, r.y * r.z * k - r.x * s,
    r.x * r.z * k - r.y * s, r.y * r.z * k + r.x * s, r.z * r.z * k + c,
  }
end
function R.frommatrix3(m)
  local cosine = (m[1] + m[5] + m[9] - 1) / 2
  if math.abs(cosine) > 1 then return {x = 1, y = 0, z = 0, a = 0} end
  return {x = m[8] - m[6], y = m[3] - m[7], z = m[4] - m[2], a = math.acos(cosine)}
end
function R.combine(first, second) -- Hamilton product
  local p, q = R.toquaternion(first), R.toquaternion(second)
  local v = wbvector3.cross(p, q)
  return R.fromquaternion({
    w = p.w * q.w - wbvector3.dot(p, q),
    x = p.w * q.x + q.w * p.x + v.x,
    y = p.w * q.y + q.w * p.y + v.y,
    z = p.w * q.z + q.w * p.z + v.z,
  })
end
function R.rotatevector3bymatrix3(m, v)
  return {
    x = m[1] * v.x + m[2] * v.y + m[3] * v.z,
    y = m[4] * v.x + m[5] * v.y + m[6] * v.z,
    z = m[7] * v.x + m[8] * v.y + m[9] * v.z,
  }
end
function R.rotatevector3byrotation(r, v) return R.rotatevector3bymatrix3(R.tomatrix3(r), v) end
function R.rotatevector3byquaternion(q, v) return R.rotatevector3byrotation(R.fromquaternion(q), v) end
modules.wbrotation = R

-- uniform cubic B-spline through the convex hull of four neighbours; ends are prolonged in line
local function spline(vector, keys, points, subdivision, first)
  local count = wbcore.tablelength(points)
  local function ahead(a, b) return vector.add(a, vector.minus(a, b)) end
  local all = {}
  for i = 1, count do all[i] = points[i] end
  all[0] = ahead(all[1], all[2])
  all[-1] = ahead(all[0], all[1])
  all[count + 1] = ahead(all[count], all[count - 1])
  all[count + 2] = ahead(all[count + 1], all[count])
  local curve = {points[1]}
  for i = first, count - 1 do
    for j = 1, subdivision do
      local t, point = j / subdivision, {}
      for _, key in ipairs(keys) do
        local a, b, c, d = all[i - 1][key], all[i][key], all[i + 1][key], all[i + 2][key]
        point[key] = ((d - a + 3 * (b - c)) * t * t * t + 3 * (a - 2 * b + c) * t * t
          + 3 * (c - a) * t + a + 4 * b + c) / 6
      end
      curve[#curve + 1] = point
    end
  end
  return curve
end
local G = {}
function G.circle(radius, count, cx, cy, shift)
  local points = {}
  for i = 0, count do
    local angle = 2 * math.pi * i / count + shift
    points[i + 1] = {x = radius * math.cos(angle) + cx, y = radius * math.sin(angle) + cy}
  end
  return points
end
function G.ispointinpolygon(x, y, polygon) -- even-odd rule
  local count, inside = wbcore.tablelength(polygon), false
  local b = polygon[count]
  for i = 1, count do
    local a = polygon[i]
    if (a.y >= y) ~= (b.y >= y) and x <= (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x then
      inside = not inside
    end
    b = a
  end
  return count >= 3 and inside
end
function G.findclosest2Dpointinarray(reference, points)
  local best, least = reference, math.huge
  for _, point in ipairs(points) do
    local distance = wbvector2.distance(reference, point)
    if distance < least then best, least = point, distance end
  end
  return best
end
function G.islistclockwise2D(points)
  local count, sum = wbcore.tablelength(points), 0
  for i = 1, count do
    local a, b = points[i], points[i % count + 1]
    sum = sum + (b.x - a.x) * (b.y + a.y)
  end
  return sum < 0
end
function G.bspline2D(points, subdivision) return spline(wbvector2, {'x', 'y'}, points, subdivision, 0) end
function G.bspline3D(points, subdivision) return spline(wbvector3, {'x', 'y', 'z'}, points, subdivision, 1) end
modules.wbgeometry = G

-- what a template sees: no files, no processes, no code from strings, nothing of the host program
local chance = 1
local function random(low, high)
  chance = (1140671485 * chance + 12820163) % MODULUS
  local x = chance / MODULUS
  if low == nil then return x end
  if high == nil then low, high = 1, low end
  return math.floor(low + x * (high - low + 1))
end
local function copied(library)
  local copy = {}
  for key, value in pairs(library) do copy[key] = value end
  return copy
end
local safe_math = copied(math)
safe_math.random, safe_math.randomseed = random, function(seed) chance = seed % MODULUS end
safe_math.atan2 = atan2
-- what Webots' Lua kept of 5.1
safe_math.pow = math.pow or function(base, exponent) return base ^ exponent end
safe_math.log10 = math.log10 or function(value) return math.log(value, 10) end
local safe_table = copied(table)
safe_table.maxn = table.maxn or function(list)
  local largest = 0
  for key in pairs(list) do
    if type(key) == 'number' and key > largest then largest = key end
  end
  return largest
end
string.dump = nil -- also for methods of strings
local function own_metatable(value) -- not that of strings, which all strings share
  if type(value) == 'table' then return getmetatable(value) end
  return nil
end
-- the streams that templates write their warnings to; there are no files
local function stream(level)
  local S = {}
  function S:write(...)
    local parts = {}
    for i = 1, select('#', ...) do parts[i] = tostring((select(i, ...))) end
    local text = string.gsub(table.concat(parts), '%s+$', '')
    if text ~= '' then say(level, text) end
    return S
  end
  function S:flush() return S end
  return S
end
local stdout = stream('info')
local environment = {
  io = {
    stderr = stream('error'), stdout = stdout,
    write = function(...) return stdout:write(...) end,
    open = function(name) return nil, tostring(name) .. ': templates have no files' end,
  },
  assert = assert, error = error, ipairs = ipairs, next = next, pairs = pairs, pcall = pcall,
  rawequal = rawequal, rawget = rawget, rawset = rawset, select = select, tonumber = tonumber,
  setmetatable = setmetatable, getmetatable = own_metatable, tostring = tostring, type = type, xpcall = xpcall,
  unpack = table.unpack or unpack, math = safe_math, string = copied(string), table = safe_table,
  os = {time = function() return START_OF_TIME end, clock = function() return 0 end},
  print = function(...) say('info', ...) end,
}
environment._G = environment
function environment.require(name)
  if environment[name] then return environment[name] end
  if modules[name] then return modules[name] end
  error('the module "' .. tostring(name) .. '" is not there: templates have no files', 2)
end

-- lua-gd: its functions are done by the host, where a picture is a number
local function gd_by(draw)
  local function call(name, ...)
    local results = {draw(name, ...)}
    if not results[1] then error(results[2], 3) end
    return environment.unpack(results, 2)
  end
  local Picture = {}
  function Picture.__index(_, name)
    return function(self, ...)
      local results = {call(name, self.number, ...)}
      return environment.unpack(results)
    end
  end
  local gd = {FONT_TINY = 0, FONT_SMALL = 1, FONT_MEDIUM_BOLD = 2, FONT_LARGE = 3, FONT_GIANT = 4}
  gd.ARC, gd.PIE, gd.CHORD, gd.NO_FILL, gd.EDGED = 0, 0, 1, 2, 4
  for _, name in ipairs({'create', 'createPalette', 'createTrueColor'}) do
    gd[name] = function(...)
      local number = call(name, ...)
      return setmetatable({number = number}, Picture)
    end
  end
  local function ready() return true end -- there is one font, and it is
  gd.fontCacheSetup, gd.fontCacheShutdown, gd.useFontConfig = ready, ready, ready
  -- without a picture it only measures
  function gd.stringFT(picture, ...)
    local results
    if picture == nil then
      results = {call('measureFT', ...)}
    else
      results = {call('stringFT', picture.number, ...)}
    end
    return environment.unpack(results)
  end
  -- as in lua-gd, each function of a picture is one of the module too, and takes the picture first
  return setmetatable(gd, {__index = function(_, name)
    return function(picture, ...)
      if type(picture) ~= 'table' or type(picture.number) ~= 'number' then
        error('gd.' .. tostring(name) .. ': expected a picture first, got ' .. type(picture), 2)
      end
      local results = {call(name, picture.number, ...)} -- no tail call, which would hide who called
      return environment.unpack(results)
    end
  end})
end

local function written(value)
  if value == nil then return '' end -- as in Webots, where its own ControlledStreetLight counts on it
  if value == true then return 'TRUE' end
  if value == false then return 'FALSE' end
  return tostring(value)
end

-- bound before a template runs
local concat, find, format = table.concat, string.find, string.format

return function(script, fields, context, sizes, max_size, piece_size, name, draw)
  modules.gd = gd_by(draw)
  modules.debug = {getinfo = function() return {source = name, short_src = name, currentline = 0} end}
  sizes = load_text(sizes, 'sizes', 't')()
  local pieces, texts, size = {}, {}, 0
  local function count(more)
    size = size + more + piece_size
    if size > max_size then error('it writes more than ' .. max_size / 1e6 .. ' MB', 0) end
  end
  function environment.__lit(index)
    count(sizes[index + 1] or 0)
    pieces[#pieces + 1] = format('%d', index)
  end
  function environment.__put(index, value)
    local text = written(value)
    if type(text) ~= 'string' then error('a value cannot be written: its __tostring gives no text', 0) end
    if find(text, '\0', 1, true) then error('it writes a zero character', 0) end
    count(#text)
    pieces[#pieces + 1] = format('%d', -1 - index)
    texts[#texts + 1] = text
  end
  environment.fields = load_text(fields, 'fields', 't')()
  environment.context = load_text(context, 'context', 't')()
  local template, problem = load_text(script, 'template', 't', environment)
  if not template then error(problem, 0) end
  template()
  texts[#texts + 1] = ''
  return concat(pieces, ' '), concat(texts, '\0'), messages
end
