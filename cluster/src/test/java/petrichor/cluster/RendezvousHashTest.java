package petrichor.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import petrichor.coordination.Member;

class RendezvousHashTest {
    private static final int NAMES = 9_000;

    private static List<Member> members(int count) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(new Member("member" + i, "host:" + i, i, Duration.ofSeconds(2)));
        }
        return members;
    }

    @Test
    void similarNamesSpreadEvenly() {
        Map<Member, Integer> taken = new HashMap<>();
        for (int i = 0; i < NAMES; i++) {
            taken.merge(
                    RendezvousHash.of("project-" + i, members(3)).orElseThrow(), 1, Integer::sum);
        }
        assertThat(taken.values())
                .hasSize(3)
                .allSatisfy(one -> assertThat(one).isBetween(2_700, 3_300));
    }

    @Test
    void onlyNamesOfARemovedMemberMoveAndSpreadOverTheOthers() {
        List<Member> all = members(3);
        List<Member> rest = all.subList(0, 2);
        Map<Member, Integer> inherited = new HashMap<>();
        for (int i = 0; i < NAMES; i++) {
            Member before = RendezvousHash.of("project-" + i, all).orElseThrow();
            Member after = RendezvousHash.of("project-" + i, rest).orElseThrow();
            if (rest.contains(before)) {
                assertThat(after).isEqualTo(before);
            } else {
                inherited.merge(after, 1, Integer::sum);
            }
        }
        assertThat(inherited.values())
                .hasSize(2)
                .allSatisfy(one -> assertThat(one).isGreaterThan(1_200));
    }

    @Test
    void withoutMembersNoneIsChosen() {
        assertThat(RendezvousHash.of("project", List.of())).isEmpty();
    }
}
