package petrichor.frontends.appengine;

import com.google.apphosting.base.protos.api.RemoteApiPb.Response;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import petrichor.base.Cancellation;
import petrichor.rpc.CallFailure;

/** Calls of the platform itself to the bundled services, for an app. Thread-safe; blocks. */
public final class PlatformCalls {
    private static final Duration CALL_MAX = Duration.ofSeconds(30);

    private final AppEngineFrontEnd frontEnd;

    public PlatformCalls(AppEngineFrontEnd frontEnd) {
        this.frontEnd = frontEnd;
    }

    /**
     * The encoded response; empty if the service answers with an error of its own.
     *
     * @throws petrichor.base.PetrichorException for failures of the platform
     */
    public Optional<ByteString> call(
            String project, String api, String method, MessageLite request) {
        byte[] answer;
        try {
            answer =
                    frontEnd.call(
                                    CallingApp.of(project),
                                    api,
                                    method,
                                    request.toByteString(),
                                    Cancellation.after(CALL_MAX.toNanos()))
                            .join();
        } catch (CompletionException failed) {
            throw CallFailure.cause(failed) instanceof RuntimeException cause ? cause : failed;
        }
        try {
            Response response = Response.parseFrom(answer);
            return response.hasResponse() ? Optional.of(response.getResponse()) : Optional.empty();
        } catch (InvalidProtocolBufferException malformed) {
            throw new IllegalStateException("servers encode their responses", malformed);
        }
    }
}
