package petrichor.clients;
class PingTest { @org.junit.jupiter.api.Test void ping() { org.assertj.core.api.Assertions.assertThat(1).isOne(); } }
