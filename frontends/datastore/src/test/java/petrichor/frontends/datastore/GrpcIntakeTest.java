package petrichor.frontends.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.rpc.PeerMethods;

class GrpcIntakeTest {
    private final RequestBudget budget = new RequestBudget(MemoryBudget.unlimited(), 1_000);
    private final List<Throwable> told = new ArrayList<>();
    private final GrpcIntake intake = new GrpcIntake(budget, Duration.ofSeconds(60), Runnable::run);

    @Test
    void aRequestThatWasRefusedWhileItCameIsNotCarriedOut() {
        GrpcIntake.Arrival arrival = arrival();
        arrival.watch(told::add);
        arrival.inboundWireSize(1_001);
        assertThat(told).hasSize(1);
        assertThatThrownBy(arrival::complete)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void aRefusalBeforeTheCallStartsIsDeliveredAtItsStart() {
        GrpcIntake.Arrival arrival = arrival();
        arrival.inboundWireSize(1_001);
        arrival.watch(told::add);
        assertThat(told).hasSize(1);
    }

    @Test
    void aCompleteRequestIsNotRefused() {
        GrpcIntake.Arrival arrival = arrival();
        arrival.watch(told::add);
        arrival.inboundWireSize(600);
        arrival.complete();
        arrival.inboundUncompressedSize(1_200);
        assertThat(told).isEmpty();
        arrival.streamClosed(Status.OK);
        assertThat(budget.bytes()).isZero();
    }

    @Test
    void oneConnectionsUnreadResponsesStayWithinItsShare() {
        RequestBudget ample = new RequestBudget(MemoryBudget.of("process", 200 << 20), 100 << 20);
        GrpcIntake shared = new GrpcIntake(ample, Duration.ofSeconds(60), Runnable::run);
        Attributes lazy = shared.connections().transportReady(Attributes.EMPTY);
        Attributes other = shared.connections().transportReady(Attributes.EMPTY);
        GrpcIntake.Arrival unread = called(shared, lazy);
        unread.respond(6 << 20);
        GrpcIntake.Arrival next = called(shared, lazy);
        assertThatThrownBy(() -> next.respond(3 << 20))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        called(shared, other).respond(6 << 20);
        unread.streamClosed(Status.OK);
        next.respond(3 << 20);
    }

    @Test
    void forwardedCallsHaveASeparateShare() {
        RequestBudget ample = new RequestBudget(MemoryBudget.of("process", 1L << 30), 100 << 20);
        GrpcIntake shared = new GrpcIntake(ample, Duration.ofSeconds(60), Runnable::run);
        Attributes connection = shared.connections().transportReady(Attributes.EMPTY);
        GrpcIntake.Arrival client = called(shared, connection);
        client.watch(told::add);
        client.inboundWireSize(40 << 20);
        assertThat(told).as("over a quarter").hasSize(1);
        client.streamClosed(Status.OK);
        told.clear();
        for (int i = 0; i < 3; i++) {
            GrpcIntake.Arrival peer = called(shared, connection, PeerMethods.FORWARD);
            peer.watch(told::add);
            peer.inboundWireSize(20 << 20);
        }
        assertThat(told).isEmpty();
        GrpcIntake.Arrival over = called(shared, connection, PeerMethods.FORWARD);
        over.watch(told::add);
        over.inboundWireSize(20 << 20);
        assertThat(told).as("over three quarters").hasSize(1);
    }

    private static GrpcIntake.Arrival called(GrpcIntake intake, Attributes connection) {
        return called(intake, connection, "Lookup");
    }

    private static GrpcIntake.Arrival called(
            GrpcIntake intake, Attributes connection, String method) {
        GrpcIntake.Arrival arrival =
                (GrpcIntake.Arrival) intake.newServerStreamTracer(method, new Metadata());
        arrival.serverCallStarted(
                new ServerStreamTracer.ServerCallInfo<Object, Object>() {
                    @Override
                    public MethodDescriptor<Object, Object> getMethodDescriptor() {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public Attributes getAttributes() {
                        return connection;
                    }

                    @Override
                    public String getAuthority() {
                        return "localhost";
                    }
                });
        return arrival;
    }

    private GrpcIntake.Arrival arrival() {
        return (GrpcIntake.Arrival) intake.newServerStreamTracer("Lookup", new Metadata());
    }
}
