package petrichor.testing.crash.hostile;

import java.net.http.HttpClient;

/**
 * A kilobyte that decompresses to a number of a million digits: parsing it took 42 s of a thread.
 */
final class LongNumbers implements Attack {
    private static final byte[] BODY =
            Target.packed("{\"mutations\":[{\"baseVersion\":\"", "1", 1_000_000, "\"}]}");

    @Override
    public void strike(Target target) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            var _ = target.postPacked(http, "commit", BODY);
        }
    }
}
