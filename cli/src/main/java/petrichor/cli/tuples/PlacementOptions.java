package petrichor.cli.tuples;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that choose a placement. */
final class PlacementOptions {
    /** Strategies. */
    enum Strategy {
        RANDOM,
        ORDERED,
        TAGGED,
        AFFINITY,
        COLOCATED
    }

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = "--placement",
            paramLabel = "STRATEGY",
            description = "random, ordered, tagged, affinity or colocated.")
    private @Nullable Strategy strategy;

    @Option(
            names = "--dimensions",
            paramLabel = "NAME,…",
            split = ",",
            description = "tagged: 2 to 4 dimensions of tags.")
    private List<String> dimensions = new ArrayList<>();

    @Option(names = "--bits", description = "tagged: bits of each dimension. Default: 8")
    private int bits;

    @Option(names = "--buckets", description = "random: number of buckets. Default: 16")
    private int buckets;

    @Option(names = "--groups", description = "affinity: number of groups. Default: 256")
    private int groups;

    @Option(
            names = "--separator",
            description = "affinity, colocated: ends the part of the key that counts. Default: /")
    private String separator = "";

    @Option(
            names = "--with",
            paramLabel = "COLLECTION",
            description = "colocated: the collection beside whose tuples these are stored.")
    private String with = "";

    boolean isGiven() {
        return strategy != null;
    }

    private ParameterException wrong(String text) {
        if (command == null) {
            throw new IllegalStateException("the options belong to no command");
        }
        return new ParameterException(command.commandLine(), text);
    }

    /** As the API has it. */
    JsonObject json() {
        JsonObject fields = new JsonObject();
        Strategy chosen = strategy;
        if (chosen == null) {
            throw wrong("--placement is missing");
        }
        switch (chosen) {
            case RANDOM -> fields.addProperty("buckets", buckets);
            case ORDERED -> {}
            case TAGGED -> {
                JsonArray names = new JsonArray();
                dimensions.forEach(names::add);
                fields.add("dimensions", names);
                fields.addProperty("bits", bits);
            }
            case AFFINITY -> {
                fields.addProperty("separator", separator);
                fields.addProperty("groups", groups);
            }
            case COLOCATED -> {
                if (with.isEmpty()) {
                    throw wrong("--placement colocated needs --with COLLECTION");
                }
                fields.addProperty("collection", with);
                fields.addProperty("separator", separator);
            }
        }
        JsonObject placement = new JsonObject();
        placement.add(chosen.name().toLowerCase(Locale.ROOT), fields);
        return placement;
    }
}
