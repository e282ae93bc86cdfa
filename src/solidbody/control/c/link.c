#include "link.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "wire_messages.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

enum {
  SPIN = 100000,     /* [ns] How long an answer is looked for before sleeping, see solidbody_wire.py. */
  MOST_PAUSES = 256, /* So rarely, at least, it is tried whether answers come quickly now. */
  PATIENCE = 30000,  /* [ms] How long the simulator may take to read what fills its buffer. */
  DEFAULT_PORT = 1234
};

static int stream = -1;
static pid_t owner; /* a program that it has forked does not speak for it */
static uint8_t *frame;
static size_t frame_room, arrived, used;
static int pauses, in_vain = 1;

/* A half of the mailbox, see solidbody_mailbox.py: what one end leaves there for the other. */
typedef struct {
  _Atomic uint32_t number;
  uint32_t size;
  _Atomic uint32_t sleeps;
  uint8_t unused[MAILBOX_HEAD - 12], frame[MAILBOX - MAILBOX_HEAD];
} Half;

static Half *mailbox; /* what is said, what is told; NULL = there is none */
static uint32_t taken;
static bool may_leave; /* whether the next frame may go through the mailbox: all that was sent is answered */

/* ---------------------------------------------------------------------- finding the simulator */

static void give_up(const char *text, const char *more) {
  fprintf(stderr, "Error: %s%s\n", text, more);
  exit(EXIT_FAILURE);
}

/* Writes the value of a key of a flat JSON object; returns whether it is there. */
static bool json_text(const char *json, const char *key, char *out, size_t room) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\"", key);
  const char *at = strstr(json, quoted);
  if (!at) return false;
  at += strlen(quoted);
  while (*at == ':' || isspace((unsigned char)*at)) at++;
  if (*at++ != '"') return false;
  size_t n = 0;
  while (*at && *at != '"' && n + 4 < room) {
    unsigned code = (unsigned char)*at++;
    if (code == '\\' && *at == 'u') {
      if (sscanf(at + 1, "%4x", &code) != 1) return false;
      at += 5;
      if (code >= 0x800) out[n++] = (char)(0xe0 | code >> 12), out[n++] = (char)(0x80 | (code >> 6 & 0x3f));
      else if (code >= 0x80) out[n++] = (char)(0xc0 | code >> 6);
      out[n++] = (char)(code >= 0x80 ? 0x80 | (code & 0x3f) : code);
      continue;
    }
    if (code == '\\' && *at) code = (unsigned char)*at++;
    out[n++] = (char)code;
  }
  out[n] = 0;
  return *at == '"';
}

static const char *temporary_folder(void) {
  static const char *const names[] = {"XDG_RUNTIME_DIR", "TMPDIR", "TEMP", "TMP"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const char *value = getenv(names[k]);
    if (value && *value) return value;
  }
  return "/tmp";
}

/* Looks for the simulator that has published a port number. */
static bool find_port(int port, char *address, char *secret, size_t room) {
  char path[4096], json[8192];
  snprintf(path, sizeof path, "%s/solidbody-%u", temporary_folder(), (unsigned)getuid());
  struct stat folder;
  if (stat(path, &folder) || folder.st_uid != getuid()) return false;
  snprintf(path + strlen(path), sizeof path - strlen(path), "/%d.json", port);
  FILE *file = fopen(path, "r");
  if (!file) return false;
  json[fread(json, 1, sizeof json - 1, file)] = 0;
  fclose(file);
  return json_text(json, "address", address, room) && json_text(json, "secret", secret, room);
}

static void unquote(char *text) {
  char *to = text;
  for (; *text; text++) {
    unsigned code;
    if (*text == '%' && sscanf(text + 1, "%2x", &code) == 1 && isxdigit((unsigned char)text[2])) {
      *to++ = (char)code;
      text += 2;
    } else {
      *to++ = *text;
    }
  }
  *to = 0;
}

/* Reads WEBOTS_CONTROLLER_URL: `ipc://PORT/ROBOT`, `tcp://HOST:PORT/ROBOT`, or a name alone. */
static int parse_url(const char *url, char *robot, size_t room) {
  const char *mark = strstr(url, "://");
  if (!mark) {
    snprintf(robot, room, "%s", url);
    unquote(robot);
    return DEFAULT_PORT;
  }
  char host[256];
  snprintf(host, sizeof host, "%s", mark + 3);
  char *slash = strchr(host, '/');
  if (slash) *slash = 0;
  const char *name = strchr(mark + 3, '/');
  snprintf(robot, room, "%s", name ? name + 1 : "");
  unquote(robot);
  char *colon = strrchr(host, ':');
  if (!strncmp(url, "ipc", 3)) return *host ? atoi(host) : DEFAULT_PORT;
  if (colon) *colon = 0;
  if (*host && strcmp(host, "localhost") && strcmp(host, "127.0.0.1"))
    give_up("controllers run on the simulator's own machine; this is another one: ", host);
  return colon ? atoi(colon + 1) : DEFAULT_PORT;
}

/* ---------------------------------------------------------------------- connecting */

static int dial(const char *address) {
  int made;
  if (!strncmp(address, "unix:", 5)) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (strlen(address + 5) >= sizeof to.sun_path) return -1;
    strcpy(to.sun_path, address + 5);
    made = socket(AF_UNIX, SOCK_STREAM, 0);
    if (made >= 0 && connect(made, (struct sockaddr *)&to, sizeof to)) {
      close(made);
      return -1;
    }
  } else {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(address + 4))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    made = socket(AF_INET, SOCK_STREAM, 0);
    int on = 1;
    if (made >= 0 && connect(made, (struct sockaddr *)&to, sizeof to)) {
      close(made);
      return -1;
    }
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
#ifdef SO_NOSIGPIPE
  int on = 1;
  setsockopt(made, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  return made;
}

Reader link_open(void) {
  char found_address[4096], found_secret[256], robot[4096] = "";
  const char *address = getenv("SOLIDBODY_CONTROLLER_ADDRESS");
  const char *secret = getenv("SOLIDBODY_CONTROLLER_SECRET");
  const char *url = getenv("WEBOTS_CONTROLLER_URL"), *name = getenv("WEBOTS_ROBOT_NAME");
  if (name) snprintf(robot, sizeof robot, "%s", name);
  /* a controller that starts another one for another robot clears the name and gives it a URL */
  if (!address || (!*robot && url && *url)) {
    int port = url && *url ? parse_url(url, robot, sizeof robot) : DEFAULT_PORT;
    if (!find_port(port, found_address, found_secret, sizeof found_secret)) {
      fprintf(stderr,
              "Error: no simulator is running on port %d; start `solidbody run` with a world whose robot has the "
              "controller \"<extern>\"\n",
              port);
      exit(EXIT_FAILURE);
    }
    address = found_address;
    secret = found_secret;
  }
  stream = dial(address);
  if (stream < 0) give_up("cannot reach the simulator: ", strerror(errno));
  owner = getpid();
  if (mailbox) munmap(mailbox, 2 * sizeof *mailbox); /* of a simulator before */
  mailbox = NULL;
  Buffer hello = {0};
  put_uint32_t(&hello, 0);
  say_Hello(&hello, MAGIC, VERSION, secret ? secret : "", robot, (uint32_t)getpid());
  uint32_t size = (uint32_t)hello.size - 4;
  memcpy(hello.data, &size, 4);
  bool sent = link_send(hello.data, hello.size);
  free(hello.data);
  Reader answer = sent ? link_receive() : (Reader){.failed = true};
  if (answer.failed) give_up("cannot reach the simulator: ", "it has closed the connection");
  return answer;
}

void link_use_mailbox(Slice path) {
  char name[256], found[256] = "";
  if (!path.size || path.size >= sizeof name) return;
  memcpy(name, path.data, path.size);
  name[path.size] = 0;
  if (readlink(name, found, sizeof found - 1) < 0 || strcmp(found, "/memfd:" MAILBOX_NAME " (deleted)")) return;
  int file = open(name, O_RDWR | O_CLOEXEC);
  if (file < 0) return; /* the socket will do */
  void *at = mmap(NULL, 2 * sizeof *mailbox, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (at == MAP_FAILED) return;
  mailbox = at;
  taken = 0;
  may_leave = true;
}

bool link_is_open(void) { return stream >= 0; }

void link_close(void) {
  if (stream >= 0) close(stream);
  stream = -1;
}

/* ---------------------------------------------------------------------- frames */

static void wait_for(short what, int timeout) {
  struct pollfd one = {.fd = stream, .events = what};
  while (poll(&one, 1, timeout) < 0 && errno == EINTR) continue;
}

/* Leaves a frame in the mailbox (size 0: it comes through the socket); returns whether the simulator sleeps. */
static bool leave_frame(const uint8_t *data, size_t size) {
  if (size) memcpy(mailbox[0].frame, data, size);
  mailbox[0].size = (uint32_t)size;
  atomic_fetch_add(&mailbox[0].number, 1);
  return atomic_load(&mailbox[0].sleeps);
}

bool link_send(const uint8_t *data, size_t size) {
  static const uint8_t ring[4];
  if (stream < 0 || getpid() != owner) return false;
  if (mailbox && may_leave) {
    bool fits = size <= 4 + sizeof mailbox->frame;
    bool sleeps = leave_frame(data + 4, fits ? size - 4 : 0);
    may_leave = false;
    if (fits && !sleeps) return true;
    if (fits) {
      data = ring;
      size = sizeof ring;
    }
  }
  while (size) {
    ssize_t sent = send(stream, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      struct pollfd one = {.fd = stream, .events = POLLOUT};
      int ready = poll(&one, 1, PATIENCE);
      if (ready > 0 || (ready < 0 && errno == EINTR)) continue;
    }
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      link_close();
      return false;
    }
    data += sent;
    size -= (size_t)sent;
  }
  return true;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static bool has_news(void) { return mailbox && atomic_load(&mailbox[1].number) != taken; }

/* Looks into the mailbox for a moment, which is quicker than being woken up; then sleeps until the simulator rings. */
static void await_news(void) {
  if (pauses) {
    pauses--;
  } else {
    for (int64_t end = now() + SPIN; now() < end; sched_yield()) {
      if (has_news()) {
        in_vain = 1;
        return;
      }
    }
    pauses = in_vain;
    in_vain = in_vain < MOST_PAUSES ? 2 * in_vain : MOST_PAUSES;
  }
  atomic_store(&mailbox[1].sleeps, 1);
  if (!has_news()) wait_for(POLLIN, -1);
  atomic_store(&mailbox[1].sleeps, 0);
}

/* Reads what is there, after waiting for it: first by looking. */
static bool arrive(void) {
  if (mailbox && !arrived) {
    await_news();
    if (has_news() && mailbox[1].size) return true;
  }
  if (arrived == frame_room) {
    frame_room = frame_room ? 2 * frame_room : 1 << 16;
    frame = realloc(frame, frame_room);
    if (!frame) give_up("there is no memory left for what the simulator says", "");
  }
  int64_t end = 0;
  for (;;) {
    ssize_t got = recv(stream, frame + arrived, frame_room - arrived, MSG_DONTWAIT);
    if (got > 0) {
      if (end) in_vain = 1;
      arrived += (size_t)got;
      return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return false;
    if (mailbox && !arrived) return true; /* it may come through either */
    if (pauses) {
      pauses--;
    } else {
      if (!end) end = now() + SPIN;
      if (now() < end) {
        sched_yield();
        continue;
      }
      pauses = in_vain;
      in_vain = in_vain < MOST_PAUSES ? 2 * in_vain : MOST_PAUSES;
    }
    end = 0;
    wait_for(POLLIN, -1);
  }
}

Reader link_receive(void) {
  if (arrived > used) memmove(frame, frame + used, arrived - used);
  arrived -= used;
  used = 0;
  while (stream >= 0) {
    uint32_t size = 0;
    if (arrived >= 4) memcpy(&size, frame, 4);
    if (size > FRAME_LIMIT) break;
    if (arrived >= 4 && !size) { /* a ring */
      arrived -= 4;
      memmove(frame, frame + 4, arrived);
      continue;
    }
    if (has_news()) {
      taken = atomic_load(&mailbox[1].number);
      uint32_t told = mailbox[1].size;
      if (told && told <= sizeof mailbox->frame) {
        may_leave = true;
        return (Reader){mailbox[1].frame, mailbox[1].frame + told, false};
      }
    }
    if (arrived >= 4 && arrived >= 4 + (size_t)size) {
      used = 4 + (size_t)size;
      may_leave = true;
      return (Reader){frame + 4, frame + used, false};
    }
    if (!arrive() && !has_news()) break; /* what was left before the end is heard first */
  }
  link_close();
  arrived = 0;
  return (Reader){.failed = true};
}
