package petrichor.testing.crash.hostile;

import com.google.datastore.v1.Filter;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.datastore.v1.Value;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Queries that each need a different composite index: a thousand of them used up all indexes. */
final class ManyIndexes implements Attack {
    private static final int QUERIES = 200;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final AtomicInteger NEXT = new AtomicInteger();

    @Override
    public void strike(Target target) {
        ManagedChannel channel = target.channel();
        try {
            for (int i = 0; i < QUERIES; i++) {
                query(channel, NEXT.getAndIncrement());
            }
        } finally {
            channel.shutdownNow();
        }
    }

    private static void query(ManagedChannel channel, int number) {
        PropertyFilter filter =
                PropertyFilter.newBuilder()
                        .setProperty(property("a" + number))
                        .setOp(PropertyFilter.Operator.EQUAL)
                        .setValue(Value.newBuilder().setIntegerValue(1))
                        .build();
        Query query =
                Query.newBuilder()
                        .addKind(KindExpression.newBuilder().setName("Indexed"))
                        .setFilter(Filter.newBuilder().setPropertyFilter(filter))
                        .addOrder(
                                PropertyOrder.newBuilder()
                                        .setProperty(property("b" + number))
                                        .setDirection(PropertyOrder.Direction.ASCENDING))
                        .build();
        try {
            var _ =
                    Target.call(
                            channel,
                            "RunQuery",
                            RunQueryRequest.newBuilder()
                                    .setProjectId(Target.PROJECT)
                                    .setQuery(query)
                                    .build(),
                            RunQueryResponse.getDefaultInstance(),
                            TIMEOUT);
        } catch (StatusRuntimeException refused) {
            // Refusing further indexes is an acceptable answer.
            return;
        }
    }

    private static PropertyReference property(String name) {
        return PropertyReference.newBuilder().setName(name).build();
    }
}
