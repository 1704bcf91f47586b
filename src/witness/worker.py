# The worker of walkaround's witness: says what the Pillow and the OpenCV installed here do with image files.
#
# Arguments: memory in bytes that it may take beyond what its libraries take, and seconds for one file.
# Asked by lines on standard input: a path, its bytes in hexadecimal. Answers in JSON lines, one as soon as each loader is
# done, so that the loader in which it dies is known: {"pillow": ...}, {"lenient": ...}, {"opencv": ...}. The first line of
# all holds versions, or says what is missing. Runs on Python 3.8 and later, and opens files for reading only.
import sys

# With `-c` the current folder comes first; a `PIL.py` in a dataset must not be run.
sys.path[:] = [folder for folder in sys.path if folder]

import json
import os
import queue
import signal
import threading
import warnings

# What libraries print goes to standard error, and what they ask for is not there.
answers = os.fdopen(os.dup(1), "w", encoding="ascii")
questions = os.fdopen(os.dup(0), "r", encoding="ascii")
os.dup2(2, 1)
nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(nothing, 0)
os.close(nothing)
# An interrupt is the parent's business, which is told of it too.
signal.signal(signal.SIGINT, signal.SIG_IGN)
warnings.simplefilter("ignore")

memory, seconds = int(sys.argv[1]), int(sys.argv[2])
asked = queue.Queue()


def say(**answer):
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def listen():
    for line in questions:
        asked.put(line)
    # The parent has gone. A decoder may be at work, so nothing is waited for.
    os._exit(0)


def limit():
    try:
        import resource
    except ImportError:
        return
    try:
        # A core file would be written to the current folder.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        with open("/proc/self/statm") as statm:
            taken = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (OSError, ValueError):
        pass


def refusal(error, stage, path):
    text = str(error).replace(repr(path), "").replace(path, "").strip()
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return {"stage": stage, "class": type(error).__name__, "message": text[:300]}


def pillow(path):
    try:
        image = Image.open(path)
    except Exception as error:
        return {"error": refusal(error, "open", path)}
    with image:
        answer = {"format": image.format, "mode": image.mode, "size": list(image.size)}
        try:
            # On this image nothing was called before: `getexif` would load a PNG, and a second `load` does nothing.
            image.load()
            image.convert("RGB")
        except Exception as error:
            answer["error"] = refusal(error, "load", path)
            return answer
        try:
            answer["orientation"] = orientation(path, image)
            answer["exif"] = True
        except Exception:
            pass
    return answer


def orientation(path, image):
    if image.format == "TIFF":
        # Pillow turns a TIFF upright when it loads it, and drops the tag.
        with Image.open(path) as fresh:
            value = fresh.getexif().get(0x112)
    else:
        value = image.getexif().get(0x112)
    return value if isinstance(value, int) and 1 <= value <= 8 else None


def lenient(path):
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    try:
        stage = "open"
        with Image.open(path) as image:
            stage = "load"
            image.load()
            image.convert("RGB")
        return {}
    except Exception as error:
        return {"error": refusal(error, stage, path)}
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False


def opencv(path):
    if cv2 is None:
        return None
    try:
        pixels = cv2.imdecode(numpy.fromfile(path, numpy.uint8), cv2.IMREAD_UNCHANGED)
        if pixels is None:
            return {"error": {"stage": "load", "class": "None", "message": "imdecode returns None"}}
        return {"shape": list(pixels.shape)}
    except Exception as error:
        return {"error": refusal(error, "load", path)}


try:
    from PIL import Image, ImageFile, __version__ as pillow_version
except Exception as error:
    say(missing="%s: %s" % (type(error).__name__, error))
    sys.exit(0)
try:
    import cv2
    import numpy

    cv2.setNumThreads(1)
except Exception:
    cv2 = None
limit()
threading.Thread(target=listen, daemon=True).start()
say(python="%d.%d.%d" % sys.version_info[:3], pillow=pillow_version, opencv=getattr(cv2, "__version__", None))
while True:
    path = os.fsdecode(bytes.fromhex(asked.get()))
    if hasattr(signal, "alarm"):
        # Ends this process even inside a decoder, should there be no parent any more to do it.
        signal.alarm(seconds + 10)
    say(pillow=pillow(path))
    say(lenient=lenient(path))
    say(opencv=opencv(path))
    if hasattr(signal, "alarm"):
        signal.alarm(0)
