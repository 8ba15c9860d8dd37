package petrichor.apps.instances;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.apps.instances.network.NetworkGuard;

/**
 * The isolation that this machine offers to instances, and a sentence about each feature that it
 * does not. Immutable.
 */
public final class Isolation {
    /** How namespaces are created. */
    enum Namespaces {
        NONE,
        AS_ROOT,
        /** Also available to other users than root; the instance is root in its own namespace. */
        IN_USER_NAMESPACE
    }

    private final Map<IsolationFeature, String> missing;
    private final Namespaces namespaces;
    private final ControlGroups groups;
    private final Optional<NetworkGuard> network;

    Isolation(
            Map<IsolationFeature, String> missing,
            Namespaces namespaces,
            ControlGroups groups,
            Optional<NetworkGuard> network) {
        Map<IsolationFeature, String> copy = new EnumMap<>(IsolationFeature.class);
        copy.putAll(missing);
        this.missing = copy;
        this.namespaces = namespaces;
        this.groups = groups;
        this.network = network;
    }

    /**
     * Tries out each feature. Takes a fraction of a second.
     *
     * @param folder for a trial; created if necessary
     * @param user an id of the range from which instances get theirs
     */
    public static Isolation probe(Path folder, int user) {
        return new IsolationProbe(folder, user).run();
    }

    public boolean has(IsolationFeature feature) {
        return !missing.containsKey(feature);
    }

    /** A sentence about each missing feature, for operators. */
    public List<String> limitations() {
        return List.copyOf(missing.values());
    }

    /** The same without one feature, as if the machine did not have it. */
    public Isolation without(IsolationFeature feature, String sentence) {
        Map<IsolationFeature, String> more = new EnumMap<>(IsolationFeature.class);
        more.putAll(missing);
        more.put(feature, sentence);
        if (groups.without(feature).unified().isEmpty()) {
            more.putIfAbsent(IsolationFeature.NETWORK, sentence);
        }
        return new Isolation(
                more,
                feature == IsolationFeature.NAMESPACES ? Namespaces.NONE : namespaces,
                groups.without(feature),
                network);
    }

    Namespaces namespaces() {
        return namespaces;
    }

    ControlGroups groups() {
        return groups;
    }

    /** Present if it has the feature. */
    Optional<NetworkGuard> network() {
        return has(IsolationFeature.NETWORK) ? network : Optional.empty();
    }

    /**
     * True if all processes of an instance can be found only by a mark in their environment, which
     * a process can remove.
     */
    boolean needsMark() {
        return namespaces == Namespaces.NONE && !groups.any();
    }

    @Override
    public String toString() {
        return missing.isEmpty() ? "complete" : "without " + missing.keySet();
    }
}
