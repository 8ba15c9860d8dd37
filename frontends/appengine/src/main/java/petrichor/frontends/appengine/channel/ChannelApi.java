package petrichor.frontends.appengine.channel;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.frontends.appengine.wire.CreateChannelRequest;
import petrichor.frontends.appengine.wire.CreateChannelResponse;
import petrichor.frontends.appengine.wire.SendMessageRequest;
import petrichor.services.channels.ChannelProblem;
import petrichor.services.channels.Channels;

/** The API {@code channel}, over {@link Channels}. Thread-safe. */
public final class ChannelApi implements BundledService {
    /** Codes of the API's errors. */
    static final int INVALID_CHANNEL_KEY = 2;

    static final int BAD_MESSAGE = 3;
    static final int INVALID_CHANNEL_TOKEN_DURATION = 4;

    private static final byte[] EMPTY = new byte[0];

    private final Channels channels;

    public ChannelApi(Channels channels) {
        this.channels = channels;
    }

    @Override
    public String name() {
        return "channel";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        try {
            return CompletableFuture.completedFuture(
                    switch (call.method()) {
                        case "CreateChannel" ->
                                create(
                                        call.app().project(),
                                        call.parsed(CreateChannelRequest.parser()));
                        case "SendChannelMessage" ->
                                send(
                                        call.app().project(),
                                        call.parsed(SendMessageRequest.parser()));
                        default -> throw call.unknownMethod();
                    });
        } catch (ChannelProblem problem) {
            throw new ServiceError(code(problem.reason()), problem.detail());
        }
    }

    private byte[] create(String project, CreateChannelRequest request) {
        Channels.Created created =
                channels.create(
                        project,
                        request.getApplicationKey(),
                        request.hasDurationMinutes()
                                ? Optional.of(Duration.ofMinutes(request.getDurationMinutes()))
                                : Optional.empty());
        return CreateChannelResponse.newBuilder()
                .setToken(created.text())
                .setDurationMinutes((int) created.validity().toMinutes())
                .build()
                .toByteArray();
    }

    private byte[] send(String project, SendMessageRequest request) {
        ByteString message = request.getMessage();
        if (!message.isValidUtf8()) {
            throw new ServiceError(BAD_MESSAGE, "the message is not UTF-8; encode binary data");
        }
        channels.send(project, request.getApplicationKey(), message.toByteArray());
        return EMPTY;
    }

    private static int code(ChannelProblem.Reason reason) {
        return switch (reason) {
            case INVALID_CLIENT_ID -> INVALID_CHANNEL_KEY;
            case BAD_MESSAGE -> BAD_MESSAGE;
            case INVALID_DURATION -> INVALID_CHANNEL_TOKEN_DURATION;
        };
    }
}
