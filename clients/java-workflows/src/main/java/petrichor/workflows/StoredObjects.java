package petrichor.workflows;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * Objects in Cloud Storage, read over the server's JSON API at {@code STORAGE_EMULATOR_HOST};
 * {@code PETRICHOR_TOKEN} is sent if it is set. Names are {@code gs://BUCKET/OBJECT}. Thread-safe.
 */
record StoredObjects(String address, Optional<String> token) {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final String PREFIX = "gs://";
    private static final int OK = 200;
    private static final int PARTIAL = 206;
    private static final int OUT_OF_RANGE = 416;
    private static final int SERVER_ERROR = 500;

    static StoredObjects ofEnvironment() {
        String host = System.getenv("STORAGE_EMULATOR_HOST");
        if (host == null) {
            throw new Abort(
                    "objects are read from the server at STORAGE_EMULATOR_HOST, which is not set");
        }
        return new StoredObjects(
                host.contains("://") ? host : "http://" + host,
                Optional.ofNullable(System.getenv("PETRICHOR_TOKEN")));
    }

    long bytes(String object) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = get(object, "", Optional.empty());
        require(object, response, response.statusCode() == OK);
        return Values.parse(new String(response.body(), StandardCharsets.UTF_8))
                .getAsJsonObject()
                .get("size")
                .getAsLong();
    }

    /** Bytes from an offset; fewer, or none, at the end of the object. */
    byte[] read(String object, long offset, int count) throws IOException, InterruptedException {
        String range = "bytes=" + offset + "-" + (offset + count - 1);
        HttpResponse<byte[]> response = get(object, "?alt=media", Optional.of(range));
        if (response.statusCode() == OUT_OF_RANGE) {
            return new byte[0];
        }
        require(object, response, response.statusCode() == OK || response.statusCode() == PARTIAL);
        return response.body();
    }

    private HttpResponse<byte[]> get(String object, String query, Optional<String> range)
            throws IOException, InterruptedException {
        int slash = object.indexOf('/', PREFIX.length());
        if (!object.startsWith(PREFIX) || slash < 0) {
            throw new Abort("the name of an object is gs://BUCKET/OBJECT, not " + object);
        }
        String path =
                "/storage/v1/b/"
                        + encoded(object.substring(PREFIX.length(), slash))
                        + "/o/"
                        + encoded(object.substring(slash + 1));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path + query)).timeout(DEADLINE);
        range.ifPresent(bytes -> request.header("Range", bytes));
        token.ifPresent(own -> request.header("Authorization", "Bearer " + own));
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static void require(String object, HttpResponse<byte[]> response, boolean good) throws IOException {
        if (good) {
            return;
        }
        String text = "the server answered " + response.statusCode() + " for " + object;
        if (response.statusCode() >= SERVER_ERROR) {
            throw new IOException(text);
        }
        throw new Abort(text);
    }
}
