package petrichor.services.queues;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a task asks for. The arrays are shared and must not be changed. */
public sealed interface TaskWork {
    /** Size that counts towards the limits, in bytes. */
    int bytes();

    /** An HTTP header field. */
    record Header(String name, String value) {}

    /**
     * An HTTP request to the app, or to another server.
     *
     * @param url a path of the app such as {@code /job?id=1}, or an absolute URL
     * @param target the service, or version.service, of the app; empty for that of the queue
     */
    @SuppressWarnings("ArrayRecordComponent") // shared and never compared
    record Push(TaskMethod method, String url, List<Header> headers, byte[] body, String target)
            implements TaskWork {
        public Push {
            headers = List.copyOf(headers);
        }

        public Push(TaskMethod method, String url, List<Header> headers, byte[] body) {
            this(method, url, headers, body, "");
        }

        /** Whether the app itself receives the request; otherwise another server does. */
        public boolean isToApp() {
            return url.startsWith("/");
        }

        @Override
        public int bytes() {
            int bytes = url.length() + body.length;
            for (Header header : headers) {
                bytes += header.name().length() + header.value().length();
            }
            return bytes;
        }
    }

    /**
     * Data for the worker that leases the task.
     *
     * @param tag groups tasks; empty for none
     */
    @SuppressWarnings("ArrayRecordComponent") // shared and never compared
    record Pull(byte[] tag, byte[] payload) implements TaskWork {
        public static Pull of(String tag, byte[] payload) {
            return new Pull(tag.getBytes(StandardCharsets.UTF_8), payload);
        }

        @Override
        public int bytes() {
            return payload.length;
        }
    }
}
