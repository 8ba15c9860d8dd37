package petrichor.frontends.tuples;

import com.google.protobuf.Message;
import java.util.List;
import java.util.function.BiFunction;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.ApiMethod;
import petrichor.frontends.tuples.wire.AdvisePlacementRequest;
import petrichor.frontends.tuples.wire.ApplyPlacementAdviceRequest;
import petrichor.frontends.tuples.wire.AssignGroupsRequest;
import petrichor.frontends.tuples.wire.AssignGroupsResponse;
import petrichor.frontends.tuples.wire.CancelPlacementRequest;
import petrichor.frontends.tuples.wire.ChangePlacementRequest;
import petrichor.frontends.tuples.wire.Collection;
import petrichor.frontends.tuples.wire.CreateCollectionRequest;
import petrichor.frontends.tuples.wire.DeleteByTagsRequest;
import petrichor.frontends.tuples.wire.DeleteByTagsResponse;
import petrichor.frontends.tuples.wire.DropCollectionRequest;
import petrichor.frontends.tuples.wire.DropCollectionResponse;
import petrichor.frontends.tuples.wire.FindRequest;
import petrichor.frontends.tuples.wire.GetCollectionRequest;
import petrichor.frontends.tuples.wire.GetRequest;
import petrichor.frontends.tuples.wire.GetResponse;
import petrichor.frontends.tuples.wire.ListCollectionsRequest;
import petrichor.frontends.tuples.wire.ListCollectionsResponse;
import petrichor.frontends.tuples.wire.PageResponse;
import petrichor.frontends.tuples.wire.PlacementAdvice;
import petrichor.frontends.tuples.wire.RangeRequest;
import petrichor.frontends.tuples.wire.WriteRequest;
import petrichor.frontends.tuples.wire.WriteResponse;
import petrichor.tuples.TupleStore;
import petrichor.tuples.TupleStores;

/** The methods of petrichor.tuples.v1.Tuples. */
record TupleMethods(OfCollections collections, OfTuples tuples) {
    private static final String SERVICE = "petrichor.tuples.v1.Tuples";

    /** The methods about collections. */
    record OfCollections(
            ApiMethod<ListCollectionsRequest, ListCollectionsResponse> list,
            ApiMethod<CreateCollectionRequest, Collection> create,
            ApiMethod<GetCollectionRequest, Collection> get,
            ApiMethod<DropCollectionRequest, DropCollectionResponse> drop,
            ApiMethod<ChangePlacementRequest, Collection> changePlacement,
            ApiMethod<CancelPlacementRequest, Collection> cancelPlacement,
            ApiMethod<AssignGroupsRequest, AssignGroupsResponse> assignGroups,
            OfAdvice advice) {}

    /** The methods that choose a placement. */
    record OfAdvice(
            ApiMethod<AdvisePlacementRequest, PlacementAdvice> advise,
            ApiMethod<ApplyPlacementAdviceRequest, Collection> apply) {}

    /** The methods about tuples. */
    record OfTuples(
            ApiMethod<WriteRequest, WriteResponse> write,
            ApiMethod<GetRequest, GetResponse> get,
            ApiMethod<RangeRequest, PageResponse> range,
            ApiMethod<FindRequest, PageResponse> find,
            ApiMethod<DeleteByTagsRequest, DeleteByTagsResponse> deleteByTags) {}

    static TupleMethods of(TupleStores stores) {
        Methods methods = new Methods(stores);
        Collection collection = Collection.getDefaultInstance();
        PageResponse page = PageResponse.getDefaultInstance();
        return new TupleMethods(
                new OfCollections(
                        methods.of(
                                "ListCollections",
                                ListCollectionsRequest.getDefaultInstance(),
                                ListCollectionsResponse.getDefaultInstance(),
                                Role.READ,
                                CollectionCalls::list),
                        methods.of(
                                "CreateCollection",
                                CreateCollectionRequest.getDefaultInstance(),
                                collection,
                                Role.ADMIN,
                                CollectionCalls::create),
                        methods.of(
                                "GetCollection",
                                GetCollectionRequest.getDefaultInstance(),
                                collection,
                                Role.READ,
                                CollectionCalls::get),
                        methods.of(
                                "DropCollection",
                                DropCollectionRequest.getDefaultInstance(),
                                DropCollectionResponse.getDefaultInstance(),
                                Role.ADMIN,
                                CollectionCalls::drop),
                        methods.of(
                                "ChangePlacement",
                                ChangePlacementRequest.getDefaultInstance(),
                                collection,
                                Role.ADMIN,
                                CollectionCalls::changePlacement),
                        methods.of(
                                "CancelPlacement",
                                CancelPlacementRequest.getDefaultInstance(),
                                collection,
                                Role.ADMIN,
                                CollectionCalls::cancelPlacement),
                        methods.of(
                                "AssignGroups",
                                AssignGroupsRequest.getDefaultInstance(),
                                AssignGroupsResponse.getDefaultInstance(),
                                Role.WRITE,
                                CollectionCalls::assignGroups),
                        new OfAdvice(
                                methods.of(
                                        "AdvisePlacement",
                                        AdvisePlacementRequest.getDefaultInstance(),
                                        PlacementAdvice.getDefaultInstance(),
                                        Role.ADMIN,
                                        AdviceCalls::advise),
                                methods.of(
                                        "ApplyPlacementAdvice",
                                        ApplyPlacementAdviceRequest.getDefaultInstance(),
                                        collection,
                                        Role.ADMIN,
                                        AdviceCalls::apply))),
                new OfTuples(
                        methods.of(
                                "Write",
                                WriteRequest.getDefaultInstance(),
                                WriteResponse.getDefaultInstance(),
                                Role.WRITE,
                                TupleCalls::write),
                        methods.of(
                                "Get",
                                GetRequest.getDefaultInstance(),
                                GetResponse.getDefaultInstance(),
                                Role.READ,
                                TupleCalls::get),
                        methods.of(
                                "Range",
                                RangeRequest.getDefaultInstance(),
                                page,
                                Role.READ,
                                TupleCalls::range),
                        methods.of(
                                "Find",
                                FindRequest.getDefaultInstance(),
                                page,
                                Role.READ,
                                TupleCalls::find),
                        methods.of(
                                "DeleteByTags",
                                DeleteByTagsRequest.getDefaultInstance(),
                                DeleteByTagsResponse.getDefaultInstance(),
                                Role.WRITE,
                                TupleCalls::deleteByTags)));
    }

    /** Makes methods whose requests have the fields project and database. */
    private record Methods(TupleStores stores) {
        <Q extends Message, R extends Message> ApiMethod<Q, R> of(
                String name, Q request, R response, Role role, BiFunction<TupleStore, Q, R> work) {
            return new ApiMethod<>(
                    SERVICE + "/" + name,
                    request,
                    response,
                    role,
                    asked -> required(text(asked, "project")),
                    asked -> text(asked, "database"),
                    (asked, _) -> {
                        TupleStore store =
                                stores.open(
                                        EntityDatabases.name(
                                                text(asked, "project"), text(asked, "database")));
                        R answer = work.apply(store, asked);
                        if (role == Role.ADMIN) {
                            // It may have started a change of the placement, or dropped tuples.
                            stores.work(store);
                        }
                        return answer;
                    });
        }

        private static String text(Message request, String field) {
            return (String) request.getField(request.getDescriptorForType().findFieldByName(field));
        }

        private static String required(String project) {
            if (project.isEmpty()) {
                throw PetrichorException.invalid("the request names no project.");
            }
            return project;
        }
    }

    List<ApiMethod<?, ?>> all() {
        return List.of(
                collections.list(),
                collections.create(),
                collections.get(),
                collections.drop(),
                collections.changePlacement(),
                collections.cancelPlacement(),
                collections.assignGroups(),
                collections.advice().advise(),
                collections.advice().apply(),
                tuples.write(),
                tuples.get(),
                tuples.range(),
                tuples.find(),
                tuples.deleteByTags());
    }
}
