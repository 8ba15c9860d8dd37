package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks that responses on a raw connection are acceptable for any input. */
final class RawAnswers {
    private static final Pattern HEAD =
            Pattern.compile(
                    "HTTP/1\\.1 (?<status>\\d{3}) [^\\r\\n]+\\r\\n"
                            + "(?<fields>(?:[^\\r\\n:]+: [^\\r\\n]*\\r\\n)*)\\r\\n");
    private static final Pattern LENGTH = Pattern.compile("(?i)content-length: (\\d+)\\r\\n");

    /** Success, and the documented statuses for malformed requests. */
    private static final Set<Integer> STATUSES =
            Set.of(100, 200, 400, 401, 403, 404, 405, 409, 413, 414, 415, 429, 431, 501, 503, 505);

    private static final int FRAME_HEAD_BYTES = 9;
    private static final int FRAME_TYPE_MAX = 9;
    private static final int GOAWAY = 7;

    private RawAnswers() {}

    /** Complete HTTP/1.1 responses, complete HTTP/2 frames, or nothing. */
    static void assertProper(byte[] answer, String what) {
        String text = new String(answer, StandardCharsets.ISO_8859_1);
        assertNothingInside(text, what);
        if (text.startsWith("HTTP/")) {
            assertHttp1(text, what);
        } else {
            assertHttp2(ByteBuffer.wrap(answer), what);
        }
    }

    private static void assertHttp1(String text, String what) {
        Matcher head = HEAD.matcher(text);
        int at = 0;
        while (at < text.length()) {
            assertThat(head.find(at) && head.start() == at).as(what + "\n" + text).isTrue();
            int status = Integer.parseInt(head.group("status"));
            assertThat(STATUSES).as(what + "\n" + text).contains(status);
            Matcher length = LENGTH.matcher(head.group("fields"));
            at = head.end();
            if (length.find()) {
                int end = at + Integer.parseInt(length.group(1));
                assertThat(end).as(what + "\n" + text).isLessThanOrEqualTo(text.length());
                assertBody(status, text.substring(at, end), what);
                at = end;
            }
        }
    }

    private static void assertBody(int status, String body, String what) {
        if (status >= 400 && body.startsWith("{")) {
            assertThat(body).as(what).contains("\"code\":" + status).contains("\"message\":\"");
        }
    }

    private static void assertHttp2(ByteBuffer frames, String what) {
        while (frames.hasRemaining()) {
            assertThat(frames.remaining()).as(what).isGreaterThanOrEqualTo(FRAME_HEAD_BYTES);
            int lengthAndType = frames.getInt();
            int type = lengthAndType & 0xff;
            int length = lengthAndType >>> 8;
            assertThat(type).as(what).isLessThanOrEqualTo(FRAME_TYPE_MAX);
            frames.get(); // flags
            int stream = frames.getInt();
            assertThat(length).as(what).isLessThanOrEqualTo(frames.remaining());
            if (type == GOAWAY) {
                assertThat(stream).as(what).isZero();
                int lastStream = frames.getInt();
                int error = frames.getInt();
                assertThat(lastStream).as(what).isNotNegative();
                assertThat(error).as(what).isBetween(0, 13);
                length -= 2 * Integer.BYTES;
            }
            frames.position(frames.position() + length);
        }
    }

    /** No stack trace and no class name. */
    static void assertNothingInside(String text, String what) {
        assertThat(text)
                .as(what)
                .doesNotContain("\tat ")
                .doesNotContain("Exception")
                .doesNotContain("petrichor.entities")
                .doesNotContain("io.netty")
                .doesNotContain("io.grpc")
                .doesNotContain("java.");
    }
}
