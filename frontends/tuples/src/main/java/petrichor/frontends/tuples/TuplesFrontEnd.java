package petrichor.frontends.tuples;

import com.google.protobuf.util.JsonFormat;
import io.grpc.ServerServiceDefinition;
import java.util.List;
import petrichor.frontends.http.ApiCalls;
import petrichor.frontends.http.GrpcApi;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RestApi;
import petrichor.rpc.Rpc;
import petrichor.tuples.TupleStores;

/** Serves petrichor.tuples.v1.Tuples. Thread-safe. */
public final class TuplesFrontEnd {
    /** Maximum number of concurrent calls over gRPC; each has a virtual thread. */
    private static final int CALLS_MAX = 500;

    private final TupleMethods methods;
    private final ApiCalls calls;

    public TuplesFrontEnd(TupleStores stores, Rpc rpc) {
        this.methods = TupleMethods.of(stores);
        this.calls = ApiCalls.register(rpc, methods.all());
    }

    /** The REST endpoints. */
    public List<Page> pages() {
        RestApi rest =
                new RestApi(calls, Page.Lane.CALLS, JsonFormat.TypeRegistry.getEmptyTypeRegistry());
        return new TuplePages(methods, rest).pages();
    }

    /** The gRPC services. */
    public List<ServerServiceDefinition> services() {
        return new GrpcApi(calls, CALLS_MAX).services(methods.all());
    }
}
