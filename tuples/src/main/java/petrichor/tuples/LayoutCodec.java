package petrichor.tuples;

import com.google.protobuf.ByteString;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.tuples.stored.StoredBoundaries;
import petrichor.tuples.stored.StoredLayout;
import petrichor.tuples.stored.StoredPlacement;

/** Layouts as they are stored. */
final class LayoutCodec {
    private LayoutCodec() {}

    static byte[] encode(TupleLayout layout) {
        StoredLayout.Builder stored =
                StoredLayout.newBuilder()
                        .setPlacement(encode(layout.placement()))
                        .setCollection(layout.collection())
                        .setTagIndex(layout.tagIndex());
        TupleLayout host = layout.host();
        if (host != null) {
            stored.setHostLayout(host.id());
        }
        for (TagBuckets buckets : layout.buckets()) {
            StoredBoundaries.Builder boundaries = StoredBoundaries.newBuilder();
            buckets.boundaries().forEach(value -> boundaries.addValues(ByteString.copyFrom(value)));
            stored.addBoundaries(boundaries);
        }
        return stored.build().toByteArray();
    }

    private static StoredPlacement encode(TuplePlacement placement) {
        StoredPlacement.Builder stored = StoredPlacement.newBuilder();
        switch (placement) {
            case TuplePlacement.Hashed(int buckets) ->
                    stored.setRandom(
                            StoredPlacement.RandomBuckets.newBuilder().setBuckets(buckets));
            case TuplePlacement.Ordered() ->
                    stored.setOrdered(StoredPlacement.KeyOrder.getDefaultInstance());
            case TuplePlacement.Tagged(List<String> dimensions, int bits) ->
                    stored.setTagged(
                            StoredPlacement.TagCurve.newBuilder()
                                    .addAllDimensions(dimensions)
                                    .setBits(bits));
            case TuplePlacement.Affinity(String separator, int groups) ->
                    stored.setAffinity(
                            StoredPlacement.Groups.newBuilder()
                                    .setSeparator(separator)
                                    .setGroups(groups));
            case TuplePlacement.Colocated(String collection, String separator) ->
                    stored.setColocated(
                            StoredPlacement.WithCollection.newBuilder()
                                    .setCollection(collection)
                                    .setSeparator(separator));
        }
        return stored.build();
    }

    /**
     * @param host the layout {@link StoredLayout#getHostLayout}
     */
    static TupleLayout decode(int id, StoredLayout stored, @Nullable TupleLayout host) {
        return new TupleLayout(
                id,
                stored.getCollection(),
                placement(stored.getPlacement()),
                stored.getTagIndex(),
                stored.getBoundariesList().stream().map(LayoutCodec::buckets).toList(),
                host);
    }

    private static TagBuckets buckets(StoredBoundaries stored) {
        return new TagBuckets(
                stored.getValuesList().stream().map(ByteString::toByteArray).toList());
    }

    private static TuplePlacement placement(StoredPlacement stored) {
        return switch (stored.getStrategyCase()) {
            case RANDOM -> new TuplePlacement.Hashed(stored.getRandom().getBuckets());
            case ORDERED -> new TuplePlacement.Ordered();
            case TAGGED ->
                    new TuplePlacement.Tagged(
                            stored.getTagged().getDimensionsList(), stored.getTagged().getBits());
            case AFFINITY ->
                    new TuplePlacement.Affinity(
                            stored.getAffinity().getSeparator(), stored.getAffinity().getGroups());
            case COLOCATED ->
                    new TuplePlacement.Colocated(
                            stored.getColocated().getCollection(),
                            stored.getColocated().getSeparator());
            case STRATEGY_NOT_SET ->
                    throw PetrichorException.of(
                            ErrorCode.INTERNAL,
                            "A stored layout has a placement that this version does not know.");
        };
    }
}
