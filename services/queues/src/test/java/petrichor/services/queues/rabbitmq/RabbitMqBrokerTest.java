package petrichor.services.queues.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.PetrichorException;

class RabbitMqBrokerTest {
    @Test
    void severalNodesWithoutTheirPasswords() {
        assertThat(RabbitMqBroker.of("amqp://u:secret@one:5673/v, amqps://u:secret@two"))
                .hasToString("one:5673, two:5671");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:5672",
                "http://u:secret@host/",
                "amqp://",
                "amqp://u:secret@h o",
                "amqp://u:secret@h/a/b",
                ""
            })
    void malformedUrlsAreRefusedWithoutTheirPassword(String urls) {
        assertThatThrownBy(() -> RabbitMqBroker.of(urls))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("tasks.rabbitmq")
                .hasMessageNotContaining("secret");
    }
}
