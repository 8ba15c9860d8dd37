package petrichor.rpc;

import com.google.protobuf.UnsafeByteOperations;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.NotOwner;
import petrichor.rpc.v1.Call;
import petrichor.rpc.v1.Calls;
import petrichor.rpc.v1.Failure;
import petrichor.rpc.v1.Replies;
import petrichor.rpc.v1.Reply;

/**
 * The server side of a peer's stream. When the stream breaks, its calls are cancelled, since their
 * responses cannot be returned; commits that the committer has accepted are finished.
 */
final class ArrivedStream extends ServerCall.Listener<Calls> {
    /** Concurrent calls per peer; further ones are refused. */
    private static final int CALLS_MAX = 10_000;

    private final ServerCall<Calls, Replies> call;
    private final ArrivedCalls calls;
    private final BooleanSupplier closing;
    private final Consumer<ArrivedStream> onEnd;
    private final PeerOutbox<Reply> outbox;
    private final AtomicInteger running = new AtomicInteger();
    private final Map<Long, Cancellation> cancellable = new ConcurrentHashMap<>();
    private final Object ending = new Object();
    private boolean ended;

    ArrivedStream(
            ServerCall<Calls, Replies> call,
            ArrivedCalls calls,
            BooleanSupplier closing,
            Consumer<ArrivedStream> onEnd) {
        this.call = call;
        this.calls = calls;
        this.closing = closing;
        this.onEnd = onEnd;
        this.outbox = new PeerOutbox<>(Reply::getSerializedSize, call::isReady, this::send);
    }

    private void send(List<Reply> replies) {
        Replies message = Replies.newBuilder().addAllReplies(replies).build();
        synchronized (ending) {
            if (!ended) {
                call.sendMessage(message);
            }
        }
    }

    @Override
    public void onMessage(Calls message) {
        message.getCallsList().forEach(this::arrived);
        call.request(1);
    }

    private void arrived(Call one) {
        if (one.getCancel()) {
            Cancellation left = cancellable.remove(one.getId());
            if (left != null) {
                left.cancel();
            }
        } else if (closing.getAsBoolean()) {
            fail(one, new NotOwner("the server is stopping"));
        } else if (running.incrementAndGet() > CALLS_MAX) {
            running.decrementAndGet();
            fail(one, CallFailure.overloaded());
        } else {
            execute(one);
        }
    }

    private void execute(Call one) {
        Cancellation cancellation = calls.cancellation();
        cancellable.put(one.getId(), cancellation);
        var _ =
                calls.execute(
                                new RoutedService.Forwarded(
                                        one.getMethod(),
                                        ByteMessages.array(one.getBody()),
                                        cancellation,
                                        traceparent(one)))
                        .whenComplete((answer, failure) -> answer(one, answer, failure));
    }

    private static @Nullable String traceparent(Call one) {
        return one.getTraceparent().isEmpty() ? null : one.getTraceparent();
    }

    private void answer(Call one, byte @Nullable [] answer, @Nullable Throwable failure) {
        cancellable.remove(one.getId());
        if (answer == null || failure != null) {
            fail(one, failure == null ? new IllegalStateException("no response") : failure);
        } else {
            outbox.add(reply(one).setAnswer(UnsafeByteOperations.unsafeWrap(answer)).build());
        }
        running.decrementAndGet();
        if (closing.getAsBoolean()) {
            endIfQuiet();
        }
    }

    private void fail(Call one, Throwable thrown) {
        if (CallFailure.cause(thrown) instanceof NotOwner) {
            outbox.add(
                    reply(one).setNotOwner(petrichor.rpc.v1.NotOwner.getDefaultInstance()).build());
            return;
        }
        CallFailure failure = CallFailure.of(thrown, Trace.of(traceparent(one)));
        outbox.add(
                reply(one)
                        .setFailure(
                                Failure.newBuilder()
                                        .setCode(failure.number())
                                        .setText(failure.text()))
                        .build());
    }

    private static Reply.Builder reply(Call to) {
        return Reply.newBuilder().setId(to.getId());
    }

    @Override
    public void onReady() {
        outbox.flush();
        if (closing.getAsBoolean()) {
            endIfQuiet();
        }
    }

    void endIfQuiet() {
        if (running.get() == 0 && outbox.isEmpty()) {
            end(Status.OK);
        }
    }

    private void end(Status status) {
        synchronized (ending) {
            if (!ended) {
                ended = true;
                call.close(status, new Metadata());
            }
        }
        onEnd.accept(this);
    }

    @Override
    public void onHalfClose() {
        end(Status.OK);
    }

    @Override
    public void onCancel() {
        synchronized (ending) {
            ended = true;
        }
        onEnd.accept(this);
        cancellable.values().forEach(Cancellation::cancel);
    }

    @Override
    public void onComplete() {
        onEnd.accept(this);
    }
}
