package petrichor.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.zip.CRC32C;

/** A client of the Cloud Storage API, for objects of generated content. */
final class ObjectsClient implements AutoCloseable {
    private static final int PIECE_BYTES = 1 << 20;

    private final HttpClient http = HttpClient.newHttpClient();
    private final String base;

    ObjectsClient(int port) {
        this.base = "http://127.0.0.1:" + port;
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(path.startsWith("http") ? path : base + path))
                .version(HttpClient.Version.HTTP_1_1);
    }

    HttpResponse<String> createBucket(String project, String name) throws Exception {
        return send(
                request("/storage/v1/b?project=" + project)
                        .POST(HttpRequest.BodyPublishers.ofString("{\"name\": \"" + name + "\"}")));
    }

    HttpResponse<String> upload(String bucket, String name, long bytes) throws Exception {
        return send(
                request("/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=" + name)
                        .POST(body(0, bytes)));
    }

    /** The content between two positions. */
    static HttpRequest.BodyPublisher body(long from, long to) {
        return HttpRequest.BodyPublishers.fromPublisher(
                HttpRequest.BodyPublishers.ofInputStream(() -> new Generated(from, to)), to - from);
    }

    /** Length and CRC32C of an object as it is read. */
    record Sum(long bytes, long crc32c) {}

    Sum download(String bucket, String name) throws Exception {
        HttpResponse<InputStream> response =
                http.send(
                        request("/storage/v1/b/" + bucket + "/o/" + name + "?alt=media").build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream in = response.body()) {
            return sum(in);
        }
    }

    static Sum expected(long bytes) throws IOException {
        return sum(new Generated(0, bytes));
    }

    private static Sum sum(InputStream in) throws IOException {
        CRC32C crc = new CRC32C();
        byte[] piece = new byte[PIECE_BYTES];
        long bytes = 0;
        for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
            crc.update(piece, 0, read);
            bytes += read;
        }
        return new Sum(bytes, crc.getValue());
    }

    @Override
    public void close() {
        http.shutdownNow();
    }

    /** Bytes that depend on their positions only. */
    private static final class Generated extends InputStream {
        private long at;
        private final long to;

        Generated(long from, long to) {
            this.at = from;
            this.to = to;
        }

        private static byte at(long position) {
            return (byte) (position * 31 + (position >>> 16));
        }

        @Override
        public int read() {
            return at == to ? -1 : at(at++) & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            if (at == to) {
                return -1;
            }
            int bytes = (int) Math.min(length, to - at);
            for (int i = 0; i < bytes; i++) {
                into[offset + i] = at(at++);
            }
            return bytes;
        }
    }
}
