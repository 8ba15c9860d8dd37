package petrichor.frontends.tuples;

import petrichor.base.PetrichorException;
import petrichor.frontends.tuples.wire.AssignGroupsRequest;
import petrichor.frontends.tuples.wire.AssignGroupsResponse;
import petrichor.frontends.tuples.wire.CancelPlacementRequest;
import petrichor.frontends.tuples.wire.ChangePlacementRequest;
import petrichor.frontends.tuples.wire.Collection;
import petrichor.frontends.tuples.wire.CreateCollectionRequest;
import petrichor.frontends.tuples.wire.DropCollectionRequest;
import petrichor.frontends.tuples.wire.DropCollectionResponse;
import petrichor.frontends.tuples.wire.GetCollectionRequest;
import petrichor.frontends.tuples.wire.ListCollectionsRequest;
import petrichor.frontends.tuples.wire.ListCollectionsResponse;
import petrichor.frontends.tuples.wire.Placement;
import petrichor.tuples.CollectionInfo;
import petrichor.tuples.TuplePlacement;
import petrichor.tuples.TupleStore;

/** The calls about collections. Stateless. */
final class CollectionCalls {
    private CollectionCalls() {}

    static ListCollectionsResponse list(TupleStore store, ListCollectionsRequest request) {
        return ListCollectionsResponse.newBuilder()
                .addAllCollections(
                        store.collections().stream().map(CollectionCalls::message).toList())
                .build();
    }

    static Collection create(TupleStore store, CreateCollectionRequest request) {
        TuplePlacement placement =
                request.hasPlacement()
                        ? placement(request.getPlacement())
                        : new TuplePlacement.Hashed(TuplePlacement.BUCKETS_DEFAULT);
        return message(store.create(request.getName(), placement, !request.getWithoutTagIndex()));
    }

    static Collection get(TupleStore store, GetCollectionRequest request) {
        return message(store.collection(request.getCollection()));
    }

    static DropCollectionResponse drop(TupleStore store, DropCollectionRequest request) {
        store.drop(request.getCollection());
        return DropCollectionResponse.getDefaultInstance();
    }

    static Collection changePlacement(TupleStore store, ChangePlacementRequest request) {
        return message(
                store.changePlacement(request.getCollection(), placement(request.getPlacement())));
    }

    static Collection cancelPlacement(TupleStore store, CancelPlacementRequest request) {
        var _ = store.cancelChange(request.getCollection());
        return message(store.collection(request.getCollection()));
    }

    static AssignGroupsResponse assignGroups(TupleStore store, AssignGroupsRequest request) {
        store.assign(request.getCollection(), request.getGroupsMap());
        return AssignGroupsResponse.getDefaultInstance();
    }

    private static int orDefault(int number, int otherwise) {
        return number == 0 ? otherwise : number;
    }

    private static String orDefault(String separator) {
        return separator.isEmpty() ? TuplePlacement.SEPARATOR_DEFAULT : separator;
    }

    private static TuplePlacement placement(Placement placement) {
        return switch (placement.getStrategyCase()) {
            case RANDOM ->
                    new TuplePlacement.Hashed(
                            orDefault(
                                    placement.getRandom().getBuckets(),
                                    TuplePlacement.BUCKETS_DEFAULT));
            case ORDERED -> new TuplePlacement.Ordered();
            case TAGGED ->
                    new TuplePlacement.Tagged(
                            placement.getTagged().getDimensionsList(),
                            orDefault(
                                    placement.getTagged().getBits(), TuplePlacement.BITS_DEFAULT));
            case AFFINITY ->
                    new TuplePlacement.Affinity(
                            orDefault(placement.getAffinity().getSeparator()),
                            orDefault(
                                    placement.getAffinity().getGroups(),
                                    TuplePlacement.GROUPS_DEFAULT));
            case COLOCATED ->
                    new TuplePlacement.Colocated(
                            placement.getColocated().getCollection(),
                            orDefault(placement.getColocated().getSeparator()));
            case STRATEGY_NOT_SET ->
                    throw PetrichorException.invalid(
                            "the request has no placement: random, ordered, tagged, affinity or"
                                    + " colocated.");
        };
    }

    static Placement message(TuplePlacement placement) {
        Placement.Builder message = Placement.newBuilder();
        switch (placement) {
            case TuplePlacement.Hashed hashed ->
                    message.getRandomBuilder().setBuckets(hashed.buckets());
            case TuplePlacement.Ordered _ ->
                    message.setOrdered(Placement.Ordered.getDefaultInstance());
            case TuplePlacement.Tagged tagged ->
                    message.getTaggedBuilder()
                            .addAllDimensions(tagged.dimensions())
                            .setBits(tagged.bits());
            case TuplePlacement.Affinity affinity ->
                    message.getAffinityBuilder()
                            .setSeparator(affinity.separator())
                            .setGroups(affinity.groups());
            case TuplePlacement.Colocated colocated ->
                    message.getColocatedBuilder()
                            .setCollection(colocated.collection())
                            .setSeparator(colocated.separator());
        }
        return message.build();
    }

    static Collection message(CollectionInfo info) {
        Collection.Builder message =
                Collection.newBuilder()
                        .setName(info.name())
                        .setPlacement(message(info.placement()))
                        .setLayout(info.layout())
                        .setWithoutTagIndex(!info.tagIndex())
                        .setFailure(info.failure());
        info.change()
                .ifPresent(
                        change ->
                                message.setNextPlacement(message(change.placement()))
                                        .setCopiedTuples(change.tuples()));
        return message.build();
    }
}
