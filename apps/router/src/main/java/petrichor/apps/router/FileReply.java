package petrichor.apps.router;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.files.FileAnswer;
import petrichor.apps.router.files.FileBody;
import petrichor.apps.router.table.FileOptions;

/**
 * Answers with a static file. Reads the next block of a large file only when the client has taken
 * the one before. Confined to the exchange's event loop.
 */
final class FileReply implements Handling {
    private static final Duration READ_MAX = Duration.ofSeconds(30);

    private final RouterCore core;
    private final Lane lane;
    private final ClientExchange exchange;
    private @Nullable FileBody body;
    private boolean reading;
    private boolean gone;
    private long readSince = Lane.now();

    /**
     * @param relative null if the path names no file
     */
    record Wanted(Path root, @Nullable String relative, FileOptions options) {}

    FileReply(RouterCore core, Lane lane, ClientExchange exchange) {
        this.core = core;
        this.lane = lane;
        this.exchange = exchange;
    }

    void start(Wanted wanted, HttpHeaders request) {
        if (wanted.relative() == null) {
            exchange.fail(RouterFailure.NO_FILE);
            return;
        }
        FileAnswer.Question question =
                new FileAnswer.Question(
                        wanted.root(),
                        wanted.relative(),
                        wanted.options(),
                        request,
                        new FileAnswer.Client(core.now(), exchange.acceptsChunks()));
        then(FileAnswer.of(core.state().files(), question), this::answer);
    }

    /** Continues on the event loop; a failed read ends the response. */
    private <T> void then(CompletableFuture<T> future, Consumer<T> next) {
        reading = true;
        readSince = Lane.now();
        if (future.isDone()) {
            done(future, next);
        } else {
            var _ = future.whenComplete((_, _) -> lane.loop().execute(() -> done(future, next)));
        }
    }

    private <T> void done(CompletableFuture<T> future, Consumer<T> next) {
        reading = false;
        if (future.state() == Future.State.SUCCESS) {
            next.accept(future.resultNow());
        } else {
            close();
            exchange.fail(RouterFailure.INTERNAL);
        }
    }

    private void answer(Optional<FileAnswer> found) {
        if (gone) {
            found.ifPresent(answer -> answer.body().close());
            return;
        }
        if (found.isEmpty()) {
            exchange.fail(RouterFailure.NO_FILE);
            return;
        }
        FileAnswer answer = found.get();
        DefaultHttpResponse response =
                new DefaultHttpResponse(HttpVersion.HTTP_1_1, answer.status(), answer.headers());
        boolean toHead = exchange.isHead();
        exchange.respond(response);
        switch (answer.body()) {
            case FileBody.Memory(var content, int from, int bytes) ->
                    exchange.respondLast(Unpooled.wrappedBuffer(content, from, bytes), null);
            case FileBody.Read read -> {
                if (toHead) {
                    read.close();
                    exchange.respondLast(Unpooled.EMPTY_BUFFER, null);
                } else {
                    body = read;
                    pump(read);
                }
            }
        }
    }

    private void pump(FileBody.Read read) {
        if (!reading && !gone && exchange.isClientWritable()) {
            then(read.next(), block -> block(read, block));
        }
    }

    private void block(FileBody.Read read, ByteBuffer block) {
        if (gone) {
            close();
        } else if (block.hasRemaining()) {
            exchange.respond(Unpooled.wrappedBuffer(block));
            exchange.flush();
            pump(read);
        } else {
            close();
            exchange.respondLast(Unpooled.EMPTY_BUFFER, null);
        }
    }

    private void close() {
        if (body != null) {
            body.close();
            body = null;
        }
    }

    /** Files need no body: it is read and discarded within the limit. */
    @Override
    public boolean wantsBody() {
        return true;
    }

    @Override
    public void clientSent(HttpContent content) {
        content.release();
    }

    @Override
    public void clientPaused() {
        // nothing is buffered
    }

    @Override
    public void clientWritable() {
        if (body instanceof FileBody.Read read) {
            pump(read);
        }
    }

    @Override
    public void clientGone() {
        gone = true;
        if (!reading) {
            close();
        }
    }

    @Override
    public void check(long nowNanos) {
        if (reading && nowNanos - readSince > READ_MAX.toNanos()) {
            exchange.fail(RouterFailure.TIMEOUT);
        }
    }
}
