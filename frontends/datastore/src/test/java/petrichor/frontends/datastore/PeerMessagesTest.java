package petrichor.frontends.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

class PeerMessagesTest {
    private static final List<PeerMessages.Call> CALLS =
            List.of(
                    new PeerMessages.Call(1, "a.B/C", new byte[] {1, 2, 3}),
                    new PeerMessages.Call(Long.MAX_VALUE, "a.B/Empty", new byte[0]));

    @Test
    void callsComeOutAsTheyWentIn() {
        byte[] message = PeerMessages.encodeCalls(CALLS);
        assertThat(message).hasSize(CALLS.stream().mapToInt(PeerMessages.Call::size).sum());
        assertThat(PeerMessages.decodeCalls(message))
                .usingRecursiveFieldByFieldElementComparator()
                .isEqualTo(CALLS);
    }

    @Test
    void repliesComeOutAsTheyWentIn() {
        List<PeerMessages.Reply> replies =
                List.of(
                        new PeerMessages.Reply(7, PeerMessages.ANSWERED, new byte[70_000]),
                        new PeerMessages.Reply(8, PeerMessages.NOT_MINE, new byte[0]));
        assertThat(PeerMessages.decodeReplies(PeerMessages.encodeReplies(replies)))
                .usingRecursiveFieldByFieldElementComparator()
                .isEqualTo(replies);
    }

    @Test
    void whatIsCutAnywhereIsRefused() {
        byte[] message = PeerMessages.encodeCalls(CALLS.subList(0, 1));
        for (int length = 1; length < message.length; length++) {
            byte[] cut = Arrays.copyOf(message, length);
            assertThatThrownBy(() -> PeerMessages.decodeCalls(cut))
                    .as("%d bytes", length)
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("same version");
        }
    }

    @Test
    void aLengthBeyondTheMessageIsRefused() {
        byte[] reply =
                PeerMessages.encodeReplies(
                        List.of(new PeerMessages.Reply(1, PeerMessages.ANSWERED, new byte[1])));
        reply[Long.BYTES + 1] = 0x7f;
        assertThatThrownBy(() -> PeerMessages.decodeReplies(reply))
                .isInstanceOf(PetrichorException.class);
        reply[Long.BYTES + 1] = (byte) 0xff;
        assertThatThrownBy(() -> PeerMessages.decodeReplies(reply))
                .isInstanceOf(PetrichorException.class);
    }
}
