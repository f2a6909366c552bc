import torch

from lm.uniforms import stream_keys, uniforms


def test_the_hash_is_splitmix64():
    # the generator's first outputs for state 0 (Vigna's reference code): 0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4
    zero = torch.zeros(1, dtype=torch.long)
    assert uniforms(zero, 0).item() == (0xE220A839 + 0.5) / 2**32
    assert uniforms(zero, 1).item() == (0x6E789E6A + 0.5) / 2**32


def test_numbers_are_uniform_and_streams_unrelated():
    keys = stream_keys(1, range(200), 10)
    assert len(set(keys.tolist())) == 2000
    draws = torch.stack([uniforms(keys, position) for position in range(20)])
    assert 0 < float(draws.min()) < float(draws.max()) < 1
    assert abs(float(draws.mean()) - 0.5) < 4 * (1 / 12 / 40_000) ** 0.5
    assert abs(float(torch.corrcoef(draws[:2])[0, 1])) < 4 / 2000**0.5


def test_a_stream_depends_on_seed_key_and_output_alone():
    assert stream_keys(1, ["a", "b"], 3)[3:].tolist() == stream_keys(1, ["b"], 3).tolist()
    assert stream_keys(1, ["b"], 3)[:2].tolist() == stream_keys(1, ["b"], 2).tolist()
    assert stream_keys(2, ["b"], 3).tolist() != stream_keys(1, ["b"], 3).tolist()
