package petrichor.server.backups;

import com.google.api.client.http.HttpBackOffIOExceptionHandler;
import com.google.api.client.http.HttpBackOffUnsuccessfulResponseHandler;
import com.google.api.client.http.HttpRequest;
import com.google.api.client.http.HttpRequestInitializer;
import com.google.api.client.http.HttpUnsuccessfulResponseHandler;
import com.google.api.client.http.javanet.NetHttpTransport;
import com.google.api.client.json.gson.GsonFactory;
import com.google.api.client.util.ExponentialBackOff;
import com.google.api.services.storage.Storage;
import com.google.api.services.storage.StorageScopes;
import com.google.auth.http.HttpCredentialsAdapter;
import com.google.auth.oauth2.GoogleCredentials;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.server.config.Version;

/**
 * Clients of Google Cloud Storage, by Google's client library. Credentials are the application
 * default ones: the file that {@code GOOGLE_APPLICATION_CREDENTIALS} names, those of {@code gcloud
 * auth application-default login}, or the service account of the machine. A server at another
 * endpoint gets no credentials. Stateless.
 */
final class CloudStorageConnection {
    private static final Duration REPEAT_WITHIN = Duration.ofMinutes(2);
    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);
    private static final Duration ANSWER_WITHIN = Duration.ofMinutes(1);

    private CloudStorageConnection() {}

    static Storage open(CloudStorageAddress address) {
        return open(address, REPEAT_WITHIN);
    }

    /**
     * Does not contact the service.
     *
     * @param repeatWithin how long a failing request is repeated
     */
    static Storage open(CloudStorageAddress address, Duration repeatWithin) {
        Requests requests =
                new Requests(
                        address.endpoint().isPresent()
                                ? null
                                : new HttpCredentialsAdapter(credentials()),
                        repeatWithin);
        Storage.Builder client =
                new Storage.Builder(
                                new NetHttpTransport(), GsonFactory.getDefaultInstance(), requests)
                        .setApplicationName("petrichor/" + Version.text());
        Optional<URI> endpoint = address.endpoint();
        if (endpoint.isPresent()) {
            client.setRootUrl(endpoint.get().toString().replaceAll("/+$", "") + "/");
        }
        return client.build();
    }

    private static GoogleCredentials credentials() {
        try {
            return GoogleCredentials.getApplicationDefault()
                    .createScoped(StorageScopes.DEVSTORAGE_READ_WRITE);
        } catch (IOException missing) {
            throw PetrichorException.of(
                    ErrorCode.PERMISSION_DENIED,
                    missing,
                    "There are no credentials for Google Cloud Storage: set"
                            + " GOOGLE_APPLICATION_CREDENTIALS to a key file, or run gcloud auth"
                            + " application-default login.");
        }
    }

    /** Adds credentials and limits to each request, and repeats what can succeed later. */
    private record Requests(@Nullable HttpCredentialsAdapter credentials, Duration repeatWithin)
            implements HttpRequestInitializer {
        @Override
        public void initialize(HttpRequest request) throws IOException {
            if (credentials != null) {
                credentials.initialize(request);
            }
            request.setConnectTimeout((int) CONNECT_WITHIN.toMillis());
            request.setReadTimeout((int) ANSWER_WITHIN.toMillis());
            request.setIOExceptionHandler(new HttpBackOffIOExceptionHandler(backOff()));
            HttpUnsuccessfulResponseHandler repeat =
                    new HttpBackOffUnsuccessfulResponseHandler(backOff());
            request.setUnsuccessfulResponseHandler(
                    (failed, response, retries) ->
                            (credentials != null
                                            && credentials.handleResponse(
                                                    failed, response, retries))
                                    || repeat.handleResponse(failed, response, retries));
        }

        private ExponentialBackOff backOff() {
            return new ExponentialBackOff.Builder()
                    .setMaxElapsedTimeMillis((int) repeatWithin.toMillis())
                    .build();
        }
    }
}
