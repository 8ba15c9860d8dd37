package petrichor.frontends.appengine.blobstore;

import java.net.URI;
import java.net.http.HttpClient;
import java.util.Map;
import java.util.Optional;

/** The apps that get the forms of uploads. Thread-safe. */
public interface FormRecipients {
    /**
     * Empty if the app has neither an address nor a deployed version.
     *
     * @param headers of the upload, with lower-case names
     */
    Optional<Recipient> find(String project, Map<String, String> headers);

    /**
     * Where one form goes; closed when the app has answered.
     *
     * @param client sends the request; stays open
     * @param base URL of the app for the client
     * @param shown URL of the app for its user: a relative Location is resolved against it
     * @param headers of the request, in addition to those of the form
     * @param ended what to do at the end
     */
    record Recipient(
            HttpClient client, URI base, URI shown, Map<String, String> headers, Runnable ended)
            implements AutoCloseable {
        public Recipient {
            headers = Map.copyOf(headers);
        }

        @Override
        public void close() {
            ended.run();
        }
    }
}
