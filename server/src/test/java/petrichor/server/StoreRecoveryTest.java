package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.DurableStep;
import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.kv.memory.MemoryStore;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.Data;

/** Tests a server whose embedded store ran out of file handles, and gets some later. */
class StoreRecoveryTest {
    private static final String NO_HANDLES = "it could open no file";
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final ServerConfig CONFIG = ServerConfig.defaults().withMemory().withPort(0);

    @Test
    void aStoreThatRanOutOfFileHandlesIsReopenedAndServesItsEntities() {
        MemoryStore disk = MemoryStore.open();
        OutOfHandles exhausted = new OutOfHandles(disk);
        AtomicInteger attempts = new AtomicInteger();
        Server running =
                Server.start(
                        CONFIG,
                        data(exhausted),
                        () -> {
                            if (attempts.incrementAndGet() == 1) {
                                throw new PetrichorException(ErrorCode.UNAVAILABLE, NO_HANDLES);
                            }
                            return data(new BorrowedStore(disk));
                        });
        try (TestServer server = TestServer.of(running)) {
            server.put("p", "before", 1);
            exhausted.writable = false;
            assertThatThrownBy(() -> server.put("p", "refused", 2))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            refused ->
                                    assertThat(refused.getStatus().getCode())
                                            .isEqualTo(Status.Code.UNAVAILABLE));
            assertThat(server.get("/readyz").statusCode()).isEqualTo(503);
            assertThat(server.get("/readyz").body()).contains("[-]store " + NO_HANDLES);
            exhausted.passes = true;
            Wait.until(
                    "the server is ready again",
                    LONG,
                    () -> server.get("/readyz").statusCode() == 200);
            assertThat(attempts).as("a failed one and a successful one").hasValue(2);
            server.put("p", "after", 3);
            assertThat(server.get("p", "before")).hasValue(1);
            assertThat(server.get("p", "refused")).isEmpty();
            assertThat(server.get("p", "after")).hasValue(3);
        }
    }

    private static Data data(KeyValueStore store) {
        return Data.on(store, CONFIG, List.of());
    }

    /** Refuses writes until it is opened again; the rows below stay. */
    private static final class OutOfHandles extends ForwardingStore {
        volatile boolean writable = true;
        volatile boolean passes;

        OutOfHandles(KeyValueStore below) {
            super(below);
        }

        @Override
        public Optional<String> problem() {
            return writable ? Optional.empty() : Optional.of(NO_HANDLES);
        }

        @Override
        public boolean reopeningHelps() {
            return passes;
        }

        @Override
        public void write(WriteBatch batch) {
            requireWritable();
            super.write(batch);
        }

        @Override
        public DurableStep durableStep() {
            DurableStep.AtomicBatch step = (DurableStep.AtomicBatch) super.durableStep();
            return new DurableStep.AtomicBatch() {
                @Override
                public long takeFence(byte[] domain) {
                    requireWritable();
                    return step.takeFence(domain);
                }

                @Override
                public Outcome commit(byte[] domain, long fence, WriteBatch batch) {
                    requireWritable();
                    return step.commit(domain, fence, batch);
                }
            };
        }

        private void requireWritable() {
            if (!writable) {
                throw new PetrichorException(ErrorCode.UNAVAILABLE, NO_HANDLES);
            }
        }

        @Override
        public void close() {}
    }
}
