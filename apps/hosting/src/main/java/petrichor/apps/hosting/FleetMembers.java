package petrichor.apps.hosting;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.Backend;
import petrichor.apps.router.Backends;

/** The instances of a fleet. Not thread-safe; the fleet's lock guards it. */
final class FleetMembers {
    private final List<FleetMember> members = new ArrayList<>();

    void add(FleetMember member) {
        members.add(member);
    }

    void remove(FleetMember member) {
        members.remove(member);
    }

    boolean isEmpty() {
        return members.isEmpty();
    }

    Stream<FleetMember> all() {
        return members.stream();
    }

    /** Those that are not being stopped. */
    List<FleetMember> staying() {
        return members.stream().filter(FleetMember::stays).toList();
    }

    /** Of those that are not being stopped. */
    InstanceQuotas.Use use() {
        List<FleetMember> staying = staying();
        return new InstanceQuotas.Use(
                staying.size(),
                staying.stream()
                        .mapToLong(each -> each.instance().spec().limits().memoryBytesMax())
                        .sum());
    }

    /** The staying instances with the fewest requests. */
    List<FleetMember> idlest(int count) {
        return members.stream()
                .filter(FleetMember::stays)
                .sorted(Comparator.comparingInt(FleetMember::requests))
                .limit(count)
                .toList();
    }

    /**
     * The ready instance with the fewest requests; null if none has capacity.
     *
     * @param most requests of an instance
     */
    @Nullable FleetMember free(Backends.Wanted wanted, int most) {
        String only = wanted.instance().orElse(null);
        String avoided = wanted.avoided().orElse(null);
        FleetMember best = null;
        for (FleetMember member : members) {
            boolean possible =
                    member.isReady()
                            && member.requests() < most
                            && (only == null || member.id().equals(only));
            if (possible && (best == null || member.isBetterThan(best, avoided))) {
                best = member;
            }
        }
        return best;
    }

    /** Whether the instance that a request wants does not exist any more. */
    boolean isGone(Backends.Wanted wanted) {
        return wanted.instance()
                .filter(
                        id ->
                                members.stream()
                                        .noneMatch(
                                                member -> member.id().equals(id) && member.stays()))
                .isPresent();
    }

    void end(Backend backend, long nowNanos, Backends.Use use) {
        for (FleetMember member : members) {
            if (member.id().equals(backend.id())) {
                member.end(nowNanos, use);
            }
        }
    }
}
