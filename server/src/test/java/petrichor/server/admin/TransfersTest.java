package petrichor.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.admin.v1.CommonMetadata;
import com.google.datastore.admin.v1.ExportEntitiesMetadata;
import com.google.datastore.admin.v1.OperationType;
import com.google.longrunning.CancelOperationRequest;
import com.google.longrunning.DeleteOperationRequest;
import com.google.longrunning.GetOperationRequest;
import com.google.longrunning.ListOperationsRequest;
import com.google.longrunning.Operation;
import com.google.protobuf.Empty;
import com.google.protobuf.Message;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;

/** Tests the life cycle of long-running operations; the test controls their work. */
class TransfersTest {
    private static final Duration DONE_WITHIN = Duration.ofSeconds(30);

    private final RowDatabases rows = new RowDatabases(RoutedStores.of(MemoryStore.open()));
    private final EntityDatabases databases = new Datastore(rows, TimeSource.SYSTEM).databases();
    private final Transfers transfers = new Transfers(() -> databases, TimeSource.SYSTEM);
    private final OperationAdmin operations =
            new OperationAdmin(() -> databases, List.of(transfers));
    private final CountDownLatch goOn = new CountDownLatch(1);

    @AfterEach
    void close() {
        goOn.countDown();
        transfers.close();
        rows.close();
    }

    private Operation begin(Transfers.Work work) {
        return transfers.begin(
                "p",
                OperationType.EXPORT_ENTITIES,
                Map.of("team", "a"),
                (common, entities, bytes) ->
                        ExportEntitiesMetadata.newBuilder()
                                .setCommon(common)
                                .setProgressEntities(entities)
                                .setProgressBytes(bytes)
                                .build(),
                work);
    }

    /** Blocks until the test releases it, and then checks whether to stop. */
    private Message wait(TransferProgress progress) {
        progress.moved(7, 10, 700, 1_000);
        try {
            goOn.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        progress.check();
        return Empty.getDefaultInstance();
    }

    @Test
    void progressIsShownWhileItRunsAndItsEndIsKept() throws Exception {
        Operation started = begin(this::wait);
        ExportEntitiesMetadata metadata = metadata(started);
        while (metadata.getProgressEntities().getWorkCompleted() == 0) {
            metadata = metadata(get(operations, started));
        }
        assertThat(metadata.getCommon().getState()).isEqualTo(CommonMetadata.State.PROCESSING);
        assertThat(metadata.getCommon().getLabelsMap()).containsEntry("team", "a");
        assertThat(metadata.getProgressEntities().getWorkEstimated()).isEqualTo(10);
        assertThat(metadata.getProgressBytes().getWorkCompleted()).isEqualTo(700);
        assertThatThrownBy(() -> delete(started))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION));
        goOn.countDown();
        Operation done = await(started);
        assertThat(done.getResponse().is(Empty.class)).isTrue();
        assertThat(metadata(done).getCommon().getState())
                .isEqualTo(CommonMetadata.State.SUCCESSFUL);
        assertThat(metadata(done).getCommon().hasEndTime()).isTrue();
        assertThat(metadata(done).getProgressEntities().getWorkCompleted()).isEqualTo(7);
        delete(started);
        assertThat(
                        operations
                                .list(
                                        ListOperationsRequest.newBuilder()
                                                .setName("projects/p")
                                                .build())
                                .getOperationsList())
                .isEmpty();
    }

    @Test
    void aCancelledTransferStopsAndReportsIt() throws Exception {
        Operation started = begin(this::wait);
        Empty _ =
                operations.cancel(
                        CancelOperationRequest.newBuilder().setName(started.getName()).build());
        assertThat(metadata(get(operations, started)).getCommon().getState())
                .isEqualTo(CommonMetadata.State.CANCELLING);
        goOn.countDown();
        Operation done = await(started);
        assertThat(done.getError().getCode()).isEqualTo(com.google.rpc.Code.CANCELLED_VALUE);
        assertThat(metadata(done).getCommon().getState()).isEqualTo(CommonMetadata.State.CANCELLED);
    }

    @Test
    void aFailedTransferReportsItsReason() throws Exception {
        Operation started =
                begin(
                        _ -> {
                            throw PetrichorException.invalid("the file is damaged");
                        });
        Operation done = await(started);
        assertThat(done.getError().getMessage()).isEqualTo("the file is damaged");
        assertThat(metadata(done).getCommon().getState()).isEqualTo(CommonMetadata.State.FAILED);
    }

    @Test
    void anOperationOfAnEndedProcessHasFailed() throws Exception {
        Operation started = begin(this::wait);
        // Another process over the same store knows the operation only from the log.
        try (Transfers restarted = new Transfers(() -> databases, TimeSource.SYSTEM)) {
            OperationAdmin there = new OperationAdmin(() -> databases, List.of(restarted));
            Operation lost = get(there, started);
            assertThat(lost.getDone()).isTrue();
            assertThat(lost.getError().getMessage()).contains("stopped");
            assertThat(metadata(lost).getCommon().getState())
                    .isEqualTo(CommonMetadata.State.FAILED);
        }
    }

    @Test
    void aServerThatStopsRecordsThatItsOperationsFailed() throws Exception {
        CountDownLatch looked = new CountDownLatch(1);
        Operation started =
                begin(
                        progress -> {
                            while (true) {
                                looked.countDown();
                                progress.check();
                                Thread.onSpinWait();
                            }
                        });
        looked.await();
        transfers.close();
        Operation done = get(operations, started);
        assertThat(done.getDone()).isTrue();
        assertThat(done.getError().getMessage()).contains("The server that ran the operation");
    }

    @Test
    void atMostTwoRunAtOnce() throws Exception {
        Operation first = begin(this::wait);
        Operation second = begin(this::wait);
        assertThatThrownBy(() -> begin(this::wait))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
        goOn.countDown();
        Operation _ = await(first);
        Operation _ = await(second);
        Operation third = begin(this::wait);
        assertThat(await(third).hasError()).isFalse();
    }

    private static Operation get(OperationAdmin from, Operation operation) {
        return from.get(GetOperationRequest.newBuilder().setName(operation.getName()).build());
    }

    private void delete(Operation operation) {
        Empty _ =
                operations.delete(
                        DeleteOperationRequest.newBuilder().setName(operation.getName()).build());
    }

    private Operation await(Operation operation) {
        long until = System.nanoTime() + DONE_WITHIN.toNanos();
        while (true) {
            Operation now = get(operations, operation);
            if (now.getDone()) {
                return now;
            }
            assertThat(System.nanoTime()).as("done in time").isLessThan(until);
            Thread.onSpinWait();
        }
    }

    private static ExportEntitiesMetadata metadata(Operation operation) throws Exception {
        return operation.getMetadata().unpack(ExportEntitiesMetadata.class);
    }
}
