package petrichor.frontends.appengine.datastore;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.AllocateIdsRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.AllocateIdsResponse;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.ReserveIdsRequest;
import java.util.List;
import java.util.function.Supplier;
import petrichor.entities.Datastore;
import petrichor.entities.IdRange;
import petrichor.entities.Limits;
import petrichor.frontends.appengine.CallingApp;

/** AllocateIds: ranges of consecutive ids, and reservations of ids. Thread-safe. */
record IdCalls(Supplier<Datastore> datastore) {
    /** The last id that ranges contain. */
    private static final long RANGED_ID_MAX = (1L << 52) - 1;

    AllocateIdsResponse allocate(CallingApp app, AllocateIdsRequest request) {
        V3Error.check(
                !request.hasModelKey() || request.getReserveCount() == 0,
                "Cannot allocate and reserve IDs in the same request");
        if (request.hasModelKey()) {
            AppId.of(app, request.getModelKey().getApp());
            return response(range(app, request));
        }
        V3Error.check(!request.hasSize(), "Cannot specify size when reserving IDs");
        V3Error.check(!request.hasMax(), "Cannot specify max when reserving IDs");
        reserve(app, request);
        return AllocateIdsResponse.newBuilder().setStart(0).setEnd(0).build();
    }

    private IdRange range(CallingApp app, AllocateIdsRequest request) {
        V3Error.check(!request.hasSize() || !request.hasMax(), "Both size and max cannot be set.");
        if (request.hasMax()) {
            V3Error.check(request.getMax() >= 0, "Max must be greater than or equal to 0.");
            return datastore.get().reserveIdsUpTo(app.project(), "", request.getMax());
        }
        V3Error.check(request.getSize() > 0, "Size must be greater than 0.");
        return datastore.get().allocateIdRange(app.project(), "", request.getSize());
    }

    private static AllocateIdsResponse response(IdRange range) {
        return AllocateIdsResponse.newBuilder()
                .setStart(range.first())
                .setEnd(range.last())
                .build();
    }

    private void reserve(CallingApp app, AllocateIdsRequest request) {
        if (request.getReserveCount() == 0) {
            return;
        }
        KeyTranslator translator = KeyTranslator.of(app, request.getReserve(0));
        List<Key> keys = request.getReserveList().stream().map(translator::ownComplete).toList();
        long ranged = 0;
        for (Key key : keys) {
            for (Key.PathElement element : key.getPathList()) {
                if (element.getId() <= RANGED_ID_MAX) {
                    ranged = Math.max(ranged, element.getId());
                }
            }
        }
        if (ranged > 0) {
            var _ = datastore.get().reserveIdsUpTo(app.project(), "", ranged);
        }
        for (int from = 0; from < keys.size(); from += Limits.ALLOCATED_KEYS_MAX) {
            int to = Math.min(keys.size(), from + Limits.ALLOCATED_KEYS_MAX);
            var _ =
                    datastore
                            .get()
                            .reserveIds(
                                    ReserveIdsRequest.newBuilder()
                                            .setProjectId(app.project())
                                            .addAllKeys(keys.subList(from, to))
                                            .build());
        }
    }
}
