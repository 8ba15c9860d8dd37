package petrichor.cluster;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import petrichor.coordination.Member;

/**
 * Rendezvous hashing: an unowned name goes to the member with the highest hash of its id and the
 * name together. All servers get the same result without communication, names spread evenly, and
 * when a member leaves only its own names move.
 */
final class RendezvousHash {
    private RendezvousHash() {}

    static Optional<Member> of(String name, List<Member> members) {
        return members.stream()
                .max(
                        Comparator.<Member>comparingLong(member -> score(name, member))
                                .thenComparing(Member::id));
    }

    private static long score(String name, Member member) {
        CRC32C hash = new CRC32C();
        hash.update((member.id() + "/" + name).getBytes(StandardCharsets.UTF_8));
        // A CRC is linear: similar names would all prefer the same member.
        long mixed = hash.getValue() * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 32)) * 0xBF58476D1CE4E5B9L;
        return mixed ^ (mixed >>> 29);
    }
}
