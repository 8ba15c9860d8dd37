package petrichor.frontends.appengine.channel;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.wire.ChannelCall;
import petrichor.frontends.appengine.wire.ChannelsPolled;
import petrichor.frontends.appengine.wire.ConnectionsRegistered;
import petrichor.frontends.http.OwnerCall;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;
import petrichor.rpc.Rpc;
import petrichor.services.channels.ChannelOwner;
import petrichor.services.channels.Channels;

/**
 * Routes the calls of {@link ChannelOwner} to the owner of the app's database: to {@link Channels}
 * of this server or of another one. Thread-safe.
 */
public final class ChannelCalls implements RoutedService, ChannelOwner {
    private static final String NAME = "petrichor.appengine.v1.Channels";
    private static final String CALL = NAME + "/Call";
    private static final Duration SHORT_CALL_MAX = Duration.ofSeconds(30);

    private final Channels channels;
    private final Rpc rpc;

    /**
     * @param channels of this server
     */
    public ChannelCalls(Channels channels, Rpc rpc) {
        this.channels = channels;
        this.rpc = rpc;
        rpc.register(this);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public RoutedCall decode(Forwarded call) {
        if (!call.method().equals(CALL)) {
            throw RoutedService.unknown(call.method());
        }
        return owned(parsed(ChannelCall.parser(), call.body()), call.cancellation());
    }

    @Override
    public CompletableFuture<Registered> register(
            String project, String server, List<Opening> openings) {
        return call(
                        ChannelCall.newBuilder()
                                .setProject(project)
                                .setServer(server)
                                .setRegister(ChannelMessages.encode(openings))
                                .build(),
                        Cancellation.after(SHORT_CALL_MAX.toNanos()))
                .thenApply(
                        answer ->
                                ChannelMessages.decode(
                                        parsed(ConnectionsRegistered.parser(), answer)));
    }

    @Override
    public CompletableFuture<Polled> poll(
            String project, String server, long registration, Cancellation within) {
        return call(
                        ChannelCall.newBuilder()
                                .setProject(project)
                                .setServer(server)
                                .setPoll(ChannelMessages.poll(registration))
                                .build(),
                        within)
                .thenApply(
                        answer -> ChannelMessages.decode(parsed(ChannelsPolled.parser(), answer)));
    }

    @Override
    public CompletableFuture<Void> report(String project, String server, Report report) {
        return call(
                        ChannelCall.newBuilder()
                                .setProject(project)
                                .setServer(server)
                                .setReport(ChannelMessages.encode(report))
                                .build(),
                        Cancellation.after(SHORT_CALL_MAX.toNanos()))
                .thenAccept(_ -> {});
    }

    private CompletableFuture<byte[]> call(ChannelCall wanted, Cancellation within) {
        return rpc.routing().call(owned(wanted, within));
    }

    private static <M> M parsed(Parser<M> parser, byte[] message) {
        try {
            return parser.parseFrom(message);
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    damaged,
                    "another server sent a message about channels that cannot be read; do all"
                            + " servers run the same version?");
        }
    }

    private CompletableFuture<byte[]> execute(ChannelCall wanted, Cancellation within) {
        String project = wanted.getProject();
        String server = wanted.getServer();
        return switch (wanted.getCallCase()) {
            case REGISTER ->
                    CompletableFuture.completedFuture(
                            ChannelMessages.encode(
                                            channels.register(
                                                    project,
                                                    server,
                                                    ChannelMessages.decode(wanted.getRegister())))
                                    .toByteArray());
            case POLL ->
                    channels.poll(project, server, wanted.getPoll().getRegistration(), within)
                            .thenApply(polled -> ChannelMessages.encode(polled).toByteArray());
            case REPORT -> {
                channels.report(project, server, ChannelMessages.decode(wanted.getReport()));
                yield CompletableFuture.completedFuture(new byte[0]);
            }
            case CALL_NOT_SET ->
                    throw PetrichorException.invalid(
                            "another server sent an unknown call about channels; do all servers run"
                                    + " the same version?");
        };
    }

    private RoutedCall owned(ChannelCall wanted, Cancellation within) {
        return new OwnerCall(
                CALL,
                wanted.getProject(),
                wanted::toByteArray,
                within,
                OwnerCall.OWN_THREAD,
                () -> execute(wanted, within));
    }
}
